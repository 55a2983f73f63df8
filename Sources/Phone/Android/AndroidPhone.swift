package import Ports

/// An Android phone with one app: what the system knows about it, and what its events do.
///
/// The value holds no file: ``plan(for:entropy:)`` gives steps for the lab to carry out.
///
/// - Locking closes nothing of the app's: its keys need no unlocked phone, and its files are open
///   from the first unlock on. Before that the app is not started.
/// - Uninstalling removes the app's data and its keys. A new installation gets an empty directory,
///   into which a backup may be restored.
/// - A backup never holds a Keystore key. What else it holds, the app's rules say; databases are
///   copied with their journals.
package struct AndroidPhone: Equatable, Sendable {
  package var settings: AndroidSettings
  package internal(set) var lockState = LockState.unlocked
  package internal(set) var isInstalled = true
  package var snapshots: [String: Set<Half>] = [:]

  /// A phone that was set up, unlocked, and has had the app installed once.
  package init(settings: AndroidSettings = AndroidSettings()) {
    self.settings = settings
  }

  static let secretBytes = 32
}

extension AndroidPhone: PhoneModel {
  package var kind: PhoneKind { .android }
  package var domains: [StorageDomain] { AndroidLayout.domains }

  package var sealedPaths: [String] {
    lockState == .beforeFirstUnlock && isInstalled ? [AndroidLayout.data] : []
  }

  package func canRead(_ blob: Inventory.BlobItem) -> Bool {
    StorageDatabase.rowBytes([blob.name?.utf8.count, blob.bytes])
      <= settings.asyncStorage.cursorWindowBytes
  }

  package var launchProblem: String? {
    lockState == .beforeFirstUnlock
      ? "before the first unlock Android starts only apps that are made for it (directBootAware)"
      : nil
  }

  package mutating func update(
    _ chosen: [String: String]
  ) throws(KnobError) -> [PhoneEffect] {
    let old = settings.keystore
    try settings.set(chosen)
    return settings.keystore == old ? [] : [.stopDaemon, .startDaemon]
  }

  package func setUp(entropy: any Entropy) -> [PhoneEffect] {
    [
      .makeTree(AndroidLayout.keystoreDirectory), .makeTree(AndroidLayout.keyMintDirectory),
      newSecret(entropy),
    ] + dataDirectories + [.syncEverything, .setLockState(lockState)]
  }

  package mutating func plan(
    for event: PhoneEvent, entropy: any Entropy
  ) throws(PhoneEventError) -> PhonePlan {
    switch event {
    case .keystoreLoss:
      return PhonePlan(
        [.daemonRequest(KeystoreRequest.clearNamespace.text)], takes: [.key],
        reason: "vendor faults of the Keystore lose keys; the app's files know nothing of it")
    case .keychainReset: throw .notOnThisPhone(event, instead: .keystoreLoss)
    case .prewarm: throw .notOnThisPhone(event, instead: .reboot)
    case .lock, .unlock, .reboot: return lockEvent(event)
    case .uninstall: return try uninstall()
    case .install: return try install()
    case .clearData: return try clearData()
    case .biometricChange: return biometricChange
    case .snapshot(let halves, let name): return snapshot(halves, name)
    case .restore(let halves, let name, let target, let rules):
      return try restore(halves, name, target, rules, entropy)
    case .diskFull(let freeBytes):
      return PhonePlan(
        [.setFreeSpace(freeBytes)], reason: "other apps and media fill the one shared volume")
    case .diskFree:
      return PhonePlan([.setFreeSpace(nil)], reason: "the user made room")
    }
  }

  private func newSecret(_ entropy: any Entropy) -> PhoneEffect {
    .writeFile(
      path: AndroidLayout.keyMintSecret, bytes: entropy.bytes(Self.secretBytes),
      permissions: 0o600)
  }

  private var dataDirectories: [PhoneEffect] {
    [AndroidLayout.data, AndroidLayout.cache].map(PhoneEffect.makeTree)
  }

  private var biometricChange: PhonePlan {
    PhonePlan(
      [.daemonRequest(KeystoreRequest.invalidateAuthenticated.text)],
      takes: settings.secureStore.requiresAuthentication ? [.key] : [],
      reason: "a new fingerprint or face invalidates the keys that need one, and no others")
  }
}

// MARK: - Locking

extension AndroidPhone {
  private mutating func lockEvent(_ event: PhoneEvent) -> PhonePlan {
    switch event {
    case .lock:
      if lockState == .unlocked { lockState = .locked }
      return PhonePlan(
        [.setLockState(lockState)],
        reason: "files and keys of an app stay usable while the screen is locked")
    case .unlock:
      lockState = .unlocked
      return PhonePlan(
        [.setLockState(.unlocked), .sealPaths([])],
        reason: "the first unlock opens the credential-encrypted storage")
    default:
      lockState = .beforeFirstUnlock
      return PhonePlan(
        [
          .endApp, .stopDaemon, .syncEverything, .setLockState(lockState),
          .sealPaths(sealedPaths), .startDaemon,
        ], reason: "an orderly restart syncs everything; the app's storage opens at the unlock")
    }
  }
}

// MARK: - Installing

extension AndroidPhone {
  private mutating func uninstall() throws(PhoneEventError) -> PhonePlan {
    guard isInstalled else { throw .notInstalled }
    isInstalled = false
    return PhonePlan(
      [
        .endApp, .removeTree(AndroidLayout.data),
        .daemonRequest(KeystoreRequest.clearNamespace.text),
      ], takes: [.key, .blob],
      reason: "deleting an app removes its data and clears its Keystore namespace")
  }

  private mutating func install() throws(PhoneEventError) -> PhonePlan {
    guard !isInstalled else { throw .alreadyInstalled }
    isInstalled = true
    return PhonePlan(dataDirectories, reason: "a new installation has empty data")
  }

  private func clearData() throws(PhoneEventError) -> PhonePlan {
    guard isInstalled else { throw .notInstalled }
    return PhonePlan(
      [.endApp, .removeTree(AndroidLayout.data)] + dataDirectories + clearedKeys,
      takes: [.key, .blob], reason: "the owner clears the app's data in the system's settings")
  }

  /// What clearing the app's data does to its Keystore keys.
  private var clearedKeys: [PhoneEffect] {
    settings.keystore.clearDataKeepsKeys
      ? [] : [.daemonRequest(KeystoreRequest.clearNamespace.text)]
  }
}

// MARK: - Backups

extension AndroidPhone {
  private mutating func snapshot(_ halves: Set<Half>, _ name: String) -> PhonePlan {
    snapshots[name, default: []].formUnion(halves)
    var effects: [PhoneEffect] = []
    if halves.contains(.key) {
      effects += keyPaths.map { .keepSubtree(path: $0, snapshot: "\(name)\($0)") }
    }
    if halves.contains(.blob) {
      effects.append(
        .keepSubtree(path: AndroidLayout.databases, snapshot: "\(name)\(AndroidLayout.databases)"))
    }
    return PhonePlan(effects, reason: "a backup copies what is stored at its time")
  }

  /// All that the key half consists of, for states made by hand.
  private var keyPaths: [String] {
    [AndroidLayout.preferences, AndroidLayout.keystoreDirectory, AndroidLayout.keyMintSecret]
  }

  private func restore(
    _ halves: Set<Half>, _ name: String, _ target: BackupTarget, _ rules: BackupRules,
    _ entropy: any Entropy
  ) throws(PhoneEventError) -> PhonePlan {
    guard isInstalled else { throw .notInstalled }
    guard let kept = snapshots[name], halves.isSubset(of: kept) else {
      throw .noSnapshot(name: name)
    }
    guard rules == .platform else { return byHand(halves, name) }
    // The app's data are cleared first, on the phone that they came from with its keys.
    let keys: [PhoneEffect] =
      switch target {
      case .sameDevice: clearedKeys
      case .newDevice:
        [
          .stopDaemon, .removeTree(AndroidLayout.keystoreDirectory),
          .makeTree(AndroidLayout.keystoreDirectory), newSecret(entropy), .startDaemon,
        ]
      }
    var plan = PhonePlan(
      [.endApp, .removeTree(AndroidLayout.data)] + dataDirectories + keys, takes: [.key],
      reason: "a backup by the app's rules (\(settings.backupRules.rawValue)), restored onto the "
        + "\(target.rawValue) device; Keystore keys are never part of one")
    if target == .sameDevice, settings.keystore.clearDataKeepsKeys, settings.backupRules == .none {
      plan.takes = []
      plan.rewinds = [.key]
    }
    let preferences = PhoneEffect.restoreSubtree(
      path: AndroidLayout.preferences, snapshot: "\(name)\(AndroidLayout.preferences)")
    let databases = PhoneEffect.restoreSubtree(
      path: AndroidLayout.databases, snapshot: "\(name)\(AndroidLayout.databases)")
    switch settings.backupRules {
    case .none:
      plan.effects += [preferences, databases]
      plan.rewinds.insert(.blob)
    case .withDatabase:
      plan.effects += [preferences] + removeSecureStore + [databases]
      plan.rewinds = [.blob]
    case .expo:
      plan.effects += [preferences] + removeSecureStore
      plan.takes.insert(.blob)
    }
    return plan
  }

  /// The rule leaves out `SecureStore` and `SecureStore.xml`; a `.bak` that a killed write left is
  /// not covered.
  private var removeSecureStore: [PhoneEffect] { [.removeTree(AndroidLayout.secureStore)] }

  /// Every byte as it was, against the platform's rules.
  private func byHand(_ halves: Set<Half>, _ name: String) -> PhonePlan {
    var plan = PhonePlan(
      [.endApp], rewinds: halves, isSynthetic: true,
      reason: "made by hand: every byte as it was, against the platform's backup rules")
    let restored = { (path: String) in
      PhoneEffect.restoreSubtree(path: path, snapshot: "\(name)\(path)")
    }
    if halves.contains(.blob) { plan.effects.append(restored(AndroidLayout.databases)) }
    if halves.contains(.key) {
      plan.effects += [.stopDaemon] + keyPaths.map(restored) + [.startDaemon]
    }
    return plan
  }
}
