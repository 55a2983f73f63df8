import Phone
import Ports
import Testing

@Suite struct `An iPhone's events` {
  private let entropy = SeededEntropy(seed: 1, stream: "phone")
  private var phone: IOSPhone

  init() throws {
    phone = try IOSPhone()
  }

  private func plan(_ event: PhoneEvent) throws -> PhonePlan {
    var copy = phone
    return try copy.plan(for: event, entropy: entropy)
  }

  @Test func `reset the keychain, and only the keychain`() throws {
    let plan = try plan(.keychainReset)
    #expect(
      plan.effects == [.stopDaemon, .removeTree("/private/var/Keychains"), .startDaemon])
    #expect(plan.takes == [.key])
  }

  @Test(arguments: IOSSettings.FileProtection.allCases)
  func `lock and unlock keys and files as their classes say`(
    protection: IOSSettings.FileProtection
  ) throws {
    var phone = phone
    phone.settings.fileProtection = protection
    let container = phone.layout.container
    let locking = try phone.plan(for: .lock, entropy: entropy)
    #expect(locking.effects.first == .setLockState(.locked))
    #expect(locking.effects.last == .sealPaths(protection == .complete ? [container] : []))
    #expect(locking.takes.isEmpty)
    let restart = try phone.plan(for: .reboot, entropy: entropy)
    #expect(
      restart.effects == [
        .endApp, .stopDaemon, .syncEverything, .setLockState(.beforeFirstUnlock),
        .sealPaths(protection == .none ? [] : [container]), .startDaemon,
      ])
    // Locking again does not open what was never opened.
    #expect(
      try phone.plan(for: .lock, entropy: entropy).effects.first
        == .setLockState(.beforeFirstUnlock))
    let unlocking = try phone.plan(for: .unlock, entropy: entropy)
    #expect(unlocking.effects == [.setLockState(.unlocked), .sealPaths([])])
    #expect(phone.lockState == .unlocked)
  }

  @Test func `restart the phone for a pre-warm as for a reboot`() throws {
    let warming = try plan(.prewarm)
    #expect(warming.effects.contains(.setLockState(.beforeFirstUnlock)))
    #expect(try warming.effects == plan(.reboot).effects)
    #expect(try warming.reason != plan(.reboot).reason)
  }

  @Test func `bring a changed setting to the service, and no other`() throws {
    var phone = phone
    #expect(try phone.update(["accessibility": "ck", "keychain-update": "sets-class"]).isEmpty)
    #expect(
      try phone.update(["delete-while-locked": "refused"]) == [.stopDaemon, .startDaemon])
    #expect(try phone.update(["delete-while-locked": "refused"]).isEmpty)
    #expect(
      try phone.update(["passcode": "none"])
        == [
          .stopDaemon, .startDaemon,
          .daemonRequest(KeychainRequest.dropPasscodeItems.text),
        ])
    #expect(try phone.update(["passcode": "set"]) == [.stopDaemon, .startDaemon])
    #expect(try phone.update(["file-protection": "complete"]) == [.sealPaths([])])
  }

  @Test func `uninstall the container and keep the keychain`() throws {
    var phone = phone
    let old = phone.layout
    let leaving = try phone.plan(for: .uninstall, entropy: entropy)
    #expect(leaving.effects == [.endApp, .removeTree(old.container)])
    #expect(leaving.takes == [.blob])
    #expect(throws: PhoneEventError.notInstalled) {
      try phone.plan(for: .uninstall, entropy: entropy)
    }
    let coming = try phone.plan(for: .install, entropy: entropy)
    #expect(phone.layout != old)
    #expect(coming.effects.contains(.makeTree(phone.layout.documents)))
    #expect(throws: PhoneEventError.alreadyInstalled) {
      try phone.plan(for: .install, entropy: entropy)
    }
  }

  @Test func `fill the disk and free it`() throws {
    #expect(try plan(.diskFull(freeBytes: 10)).effects == [.setFreeSpace(10)])
    #expect(try plan(.diskFree).effects == [.setFreeSpace(nil)])
  }

  @Test func `set a phone up with a key of its own`() {
    let effects = phone.setUp(entropy: entropy)
    let key = effects.compactMap { effect -> [UInt8]? in
      if case .writeFile(IOSLayout.keybag, let bytes, 0o600) = effect { bytes } else { nil }
    }
    #expect(key.map(\.count) == [32])
    #expect(effects.contains(.makeTree(phone.layout.temporaryDirectory)))
    #expect(effects.last == .setLockState(.unlocked))
  }
}

@Suite struct `A backup of an iPhone` {
  private let entropy = SeededEntropy(seed: 1, stream: "phone")
  private var phone: IOSPhone

  init() throws {
    phone = try IOSPhone()
    let plan = try phone.plan(for: .snapshot([.key, .blob], name: "s"), entropy: entropy)
    #expect(plan.effects.count == 4)
    #expect(plan.takes.isEmpty)
  }

  private func restore(
    _ halves: Set<Half>, _ target: BackupTarget, _ rules: BackupRules = .platform,
    _ change: (inout IOSSettings) -> Void = { _ in }
  ) throws -> PhonePlan {
    var copy = phone
    change(&copy.settings)
    return try copy.plan(for: .restore(halves, name: "s", onto: target, rules), entropy: entropy)
  }

  private var keychain: PhoneEffect {
    .restoreSubtree(path: IOSLayout.keychainDirectory, snapshot: "s/key")
  }

  @Test func `does not hold AsyncStorage unless the app opts in`() throws {
    let without = try restore([.blob], .sameDevice)
    #expect(
      without.effects
        == [.endApp, .removeTree(phone.layout.storage), .removeTree(phone.layout.scopedStorages)])
    #expect(without.takes == [.blob])
    let with = try restore([.blob], .sameDevice) { $0.asyncStorage.excludesFromBackup = false }
    #expect(
      with.effects == [
        .endApp, .restoreSubtree(path: phone.layout.storage, snapshot: "s/blob"),
        .removeTree(phone.layout.scopedStorages),
      ])
    #expect(with.takes.isEmpty)
    #expect(with.rewinds == [.blob])
  }

  @Test func `never holds a scoped storage`() throws {
    let plan = try restore([.blob], .sameDevice) { settings in
      settings.asyncStorage.version = .threeScoped
      settings.asyncStorage.excludesFromBackup = false
    }
    #expect(plan.takes == [.blob])
    #expect(plan.effects.contains(.removeTree(phone.layout.scopedStorages)))
  }

  @Test func `brings keychain items back to the same phone, but for akpu`() throws {
    let plan = try restore([.key, .blob], .sameDevice)
    #expect(
      plan.effects.suffix(4) == [
        .stopDaemon, keychain, .startDaemon,
        .daemonRequest(KeychainRequest.dropPasscodeItems.text),
      ])
    #expect(plan.rewinds == [.key])
    #expect(!plan.isSynthetic)
  }

  @Test func `takes migrating items to a new phone when it is encrypted`() throws {
    let plan = try restore([.key], .newDevice)
    #expect(plan.effects.last == .daemonRequest(KeychainRequest.moveToNewDevice.text))
    // Whether it takes anything, only the items say.
    let bound = try restore([.key], .newDevice) { $0.accessibility = .whenUnlockedThisDeviceOnly }
    #expect(plan.takes.isEmpty && bound.takes.isEmpty)
    let open = try restore([.key], .newDevice) { $0.backupIsEncrypted = false }
    #expect(open.takes == [.key])
    #expect(!open.effects.contains(.daemonRequest(KeychainRequest.moveToNewDevice.text)))
  }

  @Test func `of one half, or against the rules, is synthetic`() throws {
    #expect(try restore([.key], .sameDevice).isSynthetic)
    let verbatim = try restore([.key, .blob], .sameDevice, .verbatim)
    #expect(verbatim.isSynthetic)
    #expect(verbatim.takes.isEmpty)
    #expect(verbatim.effects.count == 6)
  }

  @Test func `has to exist, with the halves that are asked for`() throws {
    var copy = phone
    _ = try copy.plan(for: .snapshot([.key], name: "k"), entropy: entropy)
    for event: PhoneEvent in [
      .restore([.key], name: "x", onto: .sameDevice, .platform),
      .restore([.blob], name: "k", onto: .sameDevice, .platform),
    ] {
      #expect(throws: PhoneEventError.self) { try copy.plan(for: event, entropy: entropy) }
    }
  }
}
