package import Crypto
package import Ports

/// An iPhone with one app: what the system knows about it, and what its events do.
///
/// The value holds no file: ``plan(for:entropy:)`` gives steps for the lab to carry out.
///
/// - Locking closes the class keys of the keychain, and files as their protection says. Before the
///   first unlock both are closed.
/// - Uninstalling removes the container and keeps the keychain. A new installation gets a new
///   container.
/// - A backup holds the keychain, and AsyncStorage only when the app opts in. Onto another phone
///   an encrypted backup carries the items whose class migrates, an unencrypted one none. Which
///   items are left behind, the keychain says when it is asked to.
package struct IOSPhone: Equatable, Sendable {
  package var settings: IOSSettings
  package internal(set) var lockState = LockState.unlocked
  package internal(set) var isInstalled = true
  package internal(set) var layout: IOSLayout
  var installCount = 1
  package var snapshots: [String: Set<Half>] = [:]

  /// A phone that was set up, unlocked, and has had the app installed once.
  package init(settings: IOSSettings = IOSSettings()) throws(CryptoError) {
    self.settings = settings
    layout = try IOSLayout(installCount: 1)
  }

  /// The steps that make an empty device this phone.
  package func setUp(entropy: any Entropy) -> [PhoneEffect] {
    [
      .makeTree(IOSLayout.keychainDirectory), .makeTree(IOSLayout.keybagDirectory),
      newDeviceKey(entropy),
    ] + containerDirectories + [.syncEverything, .setLockState(lockState)]
  }

  /// What an event does to the phone as it is now, and the phone as it is afterwards.
  ///
  /// - Throws: ``PhoneEventError``; the phone is as before.
  package mutating func plan(
    for event: PhoneEvent, entropy: any Entropy
  ) throws(PhoneEventError) -> PhonePlan {
    switch event {
    case .keychainReset:
      return keychainReset
    case .lock, .unlock, .reboot, .prewarm:
      return lockEvent(event)
    case .uninstall:
      return try uninstall()
    case .install:
      return try install()
    case .snapshot(let halves, let name):
      return snapshot(halves, name)
    case .restore(let halves, let name, let target, let rules):
      return try restore(halves, name, target, rules, entropy)
    case .diskFull(let freeBytes):
      return PhonePlan(
        [.setFreeSpace(freeBytes)], reason: "other apps and media fill the one shared volume")
    case .diskFree:
      return PhonePlan([.setFreeSpace(nil)], reason: "the user made room")
    case .biometricChange:
      return PhonePlan(
        [], reason: "items without access control do not depend on the enrolled biometrics")
    case .keystoreLoss, .clearData:
      throw .notOnThisPhone(event, instead: event == .clearData ? .uninstall : .keychainReset)
    }
  }

  private var keychainReset: PhonePlan {
    PhonePlan(
      [.stopDaemon, .removeTree(IOSLayout.keychainDirectory), .startDaemon], takes: [.key],
      reason: "securityd deletes a database that it finds corrupt and starts with an empty one")
  }

  private func newDeviceKey(_ entropy: any Entropy) -> PhoneEffect {
    .writeFile(
      path: IOSLayout.keybag, bytes: entropy.bytes(Keybag.keyBytes), permissions: 0o600)
  }

  private var containerDirectories: [PhoneEffect] {
    [layout.documents, "\(layout.container)/Library", layout.temporaryDirectory]
      .map(PhoneEffect.makeTree)
  }
}

// MARK: - Locking

extension IOSPhone {
  private mutating func lockEvent(_ event: PhoneEvent) -> PhonePlan {
    switch event {
    case .lock:
      if lockState == .unlocked { lockState = .locked }
      return PhonePlan(
        [.setLockState(lockState), .sealPaths(sealedPaths)],
        reason: "the keys of WHEN_UNLOCKED classes are dropped some seconds after locking")
    case .unlock:
      lockState = .unlocked
      return PhonePlan(
        [.setLockState(.unlocked), .sealPaths([])], reason: "the passcode opens all class keys")
    default:
      lockState = .beforeFirstUnlock
      return PhonePlan(
        [
          .endApp, .stopDaemon, .syncEverything, .setLockState(lockState),
          .sealPaths(sealedPaths), .startDaemon,
        ],
        reason: event == .prewarm
          ? "iOS may start an app ahead of its use, even before the first unlock"
          : "an orderly restart syncs everything and drops all class keys")
    }
  }

  /// The files that the current lock state closes.
  package var sealedPaths: [String] {
    let isSealed =
      switch settings.fileProtection {
      case .none: false
      case .untilFirstUnlock: lockState == .beforeFirstUnlock
      case .complete: lockState != .unlocked
      }
    return isSealed && isInstalled ? [layout.container] : []
  }

  func request(_ request: KeychainRequest) -> PhoneEffect {
    .daemonRequest(request.text)
  }
}

// MARK: - Installing

extension IOSPhone {
  private mutating func uninstall() throws(PhoneEventError) -> PhonePlan {
    guard isInstalled else { throw .notInstalled }
    isInstalled = false
    return PhonePlan(
      [.endApp, .removeTree(layout.container)], takes: [.blob],
      reason: "deleting an app removes its container and leaves its keychain items")
  }

  private mutating func install() throws(PhoneEventError) -> PhonePlan {
    guard !isInstalled else { throw .alreadyInstalled }
    do {
      layout = try IOSLayout(installCount: installCount + 1)
    } catch {
      throw .internalFailure("\(error)")
    }
    installCount += 1
    isInstalled = true
    return PhonePlan(
      containerDirectories, reason: "every installation gets a new, empty container")
  }
}

// MARK: - Backups

extension IOSPhone {
  private mutating func snapshot(_ halves: Set<Half>, _ name: String) -> PhonePlan {
    snapshots[name, default: []].formUnion(halves)
    var effects: [PhoneEffect] = []
    if halves.contains(.key) {
      effects.append(
        .keepSubtree(path: IOSLayout.keychainDirectory, snapshot: "\(name)/key"))
      effects.append(.keepSubtree(path: IOSLayout.keybag, snapshot: "\(name)/keybag"))
    }
    if halves.contains(.blob) {
      effects.append(.keepSubtree(path: layout.storage, snapshot: "\(name)/blob"))
      effects.append(
        .keepSubtree(path: layout.scopedStorages, snapshot: "\(name)/scoped"))
    }
    return PhonePlan(effects, reason: "a backup copies what is stored at its time")
  }

  private func restore(
    _ halves: Set<Half>, _ name: String, _ target: BackupTarget, _ rules: BackupRules,
    _ entropy: any Entropy
  ) throws(PhoneEventError) -> PhonePlan {
    guard isInstalled else { throw .notInstalled }
    guard let kept = snapshots[name], halves.isSubset(of: kept) else {
      throw .noSnapshot(name: name)
    }
    var plan = PhonePlan(
      [.endApp], isSynthetic: rules == .verbatim || halves.count < Half.allCases.count,
      reason: rules == .verbatim
        ? "made by hand: every byte as it was, against the platform's backup rules"
        : "a backup of \(settings.backupIsEncrypted ? "an encrypted" : "an unencrypted") kind, "
          + "restored onto the \(target.rawValue) device")
    if halves.contains(.blob) { restoreBlob(name, rules, &plan) }
    if halves.contains(.key) { restoreKey(name, target, rules, entropy, &plan) }
    return plan
  }

  private func restoreBlob(_ name: String, _ rules: BackupRules, _ plan: inout PhonePlan) {
    let storage = PhoneEffect.restoreSubtree(path: layout.storage, snapshot: "\(name)/blob")
    let scoped = PhoneEffect.restoreSubtree(
      path: layout.scopedStorages, snapshot: "\(name)/scoped")
    switch rules {
    case .verbatim:
      plan.effects += [storage, scoped]
      plan.rewinds.insert(.blob)
    case .platform where settings.asyncStorage.excludesFromBackup:
      plan.effects += [.removeTree(layout.storage), .removeTree(layout.scopedStorages)]
      plan.takes.insert(.blob)
    case .platform:
      // Scoped storages are never part of a backup.
      plan.effects += [storage, .removeTree(layout.scopedStorages)]
      let isScoped = settings.asyncStorage.version == .threeScoped
      if isScoped { plan.takes.insert(.blob) } else { plan.rewinds.insert(.blob) }
    }
  }

  private func restoreKey(
    _ name: String, _ target: BackupTarget, _ rules: BackupRules, _ entropy: any Entropy,
    _ plan: inout PhonePlan
  ) {
    let database = PhoneEffect.restoreSubtree(
      path: IOSLayout.keychainDirectory, snapshot: "\(name)/key")
    let oldKeybag = PhoneEffect.restoreSubtree(
      path: IOSLayout.keybag, snapshot: "\(name)/keybag")
    plan.rewinds.insert(.key)
    switch (target, rules) {
    case (.sameDevice, .platform):
      plan.effects += [
        .stopDaemon, database, .startDaemon, request(.dropPasscodeItems),
      ]
    case (.sameDevice, .verbatim):
      plan.effects += [.stopDaemon, database, .startDaemon]
    case (.newDevice, .platform) where settings.backupIsEncrypted:
      plan.effects += [
        .stopDaemon, database, oldKeybag, .startDaemon, request(.moveToNewDevice),
      ]
    case (.newDevice, _):
      // The items arrive, but nothing on this phone can decrypt them.
      plan.effects += [.stopDaemon, database, newDeviceKey(entropy), .startDaemon]
      plan.rewinds.remove(.key)
      plan.takes.insert(.key)
    }
  }
}
