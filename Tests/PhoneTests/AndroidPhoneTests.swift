import JSON
import Phone
import Ports
import Testing

@Suite struct `An Android phone's events` {
  private let entropy = SeededEntropy(seed: 1, stream: "phone")
  private let data = "/data/user/0/com.example.demo"

  private func plan(
    _ event: PhoneEvent, _ phone: AndroidPhone = AndroidPhone()
  ) throws -> PhonePlan {
    var copy = phone
    return try copy.plan(for: event, entropy: entropy)
  }

  private func phone(backedUp rules: AndroidSettings.BackupContents) throws -> AndroidPhone {
    var phone = AndroidPhone()
    phone.settings.backupRules = rules
    _ = try phone.plan(for: .snapshot([.key, .blob], name: "b"), entropy: entropy)
    return phone
  }

  @Test func `lose the Keystore's keys, and no file`() throws {
    let plan = try plan(.keystoreLoss)
    #expect(plan.effects == [.daemonRequest(KeystoreRequest.clearNamespace.text)])
    #expect(plan.takes == [.key])
  }

  @Test func `refuse what only an iPhone does, and name what comes close`() {
    for (event, instead) in [
      (PhoneEvent.keychainReset, PhoneEvent.keystoreLoss), (.prewarm, .reboot),
    ] {
      #expect(throws: PhoneEventError.notOnThisPhone(event, instead: instead)) { try plan(event) }
    }
    #expect(
      "\(PhoneEventError.notOnThisPhone(.keychainReset, instead: .keystoreLoss))"
        == "this phone has no keychain-reset; what comes close: keystore-loss")
  }

  @Test func `close the app's storage before the first unlock, and never again`() throws {
    var phone = AndroidPhone()
    #expect(try phone.plan(for: .lock, entropy: entropy).effects == [.setLockState(.locked)])
    #expect(phone.sealedPaths.isEmpty && phone.launchProblem == nil)
    let restart = try phone.plan(for: .reboot, entropy: entropy)
    #expect(restart.effects.contains(.sealPaths([data])))
    #expect(phone.launchProblem != nil)
    #expect(
      try phone.plan(for: .unlock, entropy: entropy).effects
        == [.setLockState(.unlocked), .sealPaths([])])
    #expect(phone.launchProblem == nil)
  }

  @Test func `uninstall data and keys, once`() throws {
    var phone = AndroidPhone()
    let leaving = try phone.plan(for: .uninstall, entropy: entropy)
    #expect(
      leaving.effects == [
        .endApp, .removeTree(data), .daemonRequest(KeystoreRequest.clearNamespace.text),
      ])
    #expect(leaving.takes == [.key, .blob])
    #expect(throws: PhoneEventError.notInstalled) {
      try phone.plan(for: .clearData, entropy: entropy)
    }
    #expect(try phone.plan(for: .install, entropy: entropy).effects.contains(.makeTree(data)))
    #expect(throws: PhoneEventError.alreadyInstalled) {
      try phone.plan(for: .install, entropy: entropy)
    }
  }

  @Test func `clear data, with the keys or without them`() throws {
    var phone = AndroidPhone()
    let clearing = PhoneEffect.daemonRequest(KeystoreRequest.clearNamespace.text)
    #expect(try plan(.clearData, phone).effects.last == clearing)
    phone.settings.keystore.clearDataKeepsKeys = true
    #expect(try !plan(.clearData, phone).effects.contains(clearing))
  }

  @Test func `void only the keys that ask for a fingerprint`() throws {
    var phone = AndroidPhone()
    #expect(try plan(.biometricChange, phone).takes.isEmpty)
    phone.settings.secureStore.requiresAuthentication = true
    #expect(try plan(.biometricChange, phone).takes == [.key])
  }

  @Test(arguments: [
    (AndroidSettings.BackupContents.expo, false, false), (.none, true, true),
    (.withDatabase, false, true),
  ])
  func `restore what the app's rules let into a backup, never a key`(
    rules: AndroidSettings.BackupContents, hasSecureStore: Bool, hasDatabase: Bool
  ) throws {
    let phone = try phone(backedUp: rules)
    let restore = PhoneEvent.restore([.key, .blob], name: "b", onto: .sameDevice, .platform)
    let plan = try plan(restore, phone)
    let secureStore = "\(data)/shared_prefs/SecureStore.xml"
    #expect(plan.effects.contains(.removeTree(secureStore)) == !hasSecureStore)
    let databases = "\(data)/databases"
    #expect(
      plan.effects.contains(.restoreSubtree(path: databases, snapshot: "b\(databases)"))
        == hasDatabase)
    #expect(plan.takes.contains(.key))
    #expect(plan.rewinds == (hasDatabase ? [.blob] : []))
    #expect(!plan.isSynthetic)
  }

  @Test(arguments: AndroidSettings.BackupContents.allCases, [false, true])
  func `clear the app's keys before a restore onto the same phone, as clearing its data does`(
    rules: AndroidSettings.BackupContents, areKept: Bool
  ) throws {
    var phone = try phone(backedUp: rules)
    phone.settings.keystore.clearDataKeepsKeys = areKept
    let restore = PhoneEvent.restore([.key, .blob], name: "b", onto: .sameDevice, .platform)
    let plan = try plan(restore, phone)
    let clearing = PhoneEffect.daemonRequest(KeystoreRequest.clearNamespace.text)
    #expect(plan.effects.contains(clearing) == !areKept)
    // What was encrypted under a kept key is readable again where the rules let it in.
    let isBack = areKept && rules == .none
    #expect(plan.takes.contains(.key) == !isBack)
    #expect(plan.rewinds.contains(.key) == isBack)
  }

  @Test func `bring a changed setting to the service, and no other`() throws {
    var phone = AndroidPhone()
    #expect(try phone.update(["secure-store": "before-13.0.2"]).isEmpty)
    #expect(try phone.update(["keystore-journal": "wal"]) == [.stopDaemon, .startDaemon])
    #expect(try phone.update(["keystore-journal": "wal"]).isEmpty)
  }

  @Test func `give a new phone a secret of its own`() throws {
    let phone = try phone(backedUp: .none)
    let plan = try plan(
      .restore([.key, .blob], name: "b", onto: .newDevice, .platform), phone)
    #expect(
      plan.effects.contains { effect in
        guard case .writeFile(AndroidLayout.keyMintSecret, _, _) = effect else { return false }
        return true
      })
    #expect(plan.effects.contains(.removeTree(AndroidLayout.keystoreDirectory)))
  }

  @Test func `restore one half by hand, and call the state synthetic`() throws {
    let phone = try phone(backedUp: .expo)
    let plan = try plan(.restore([.key], name: "b", onto: .sameDevice, .verbatim), phone)
    #expect(plan.isSynthetic && plan.takes.isEmpty && plan.rewinds == [.key])
    #expect(plan.effects.prefix(2) == [.endApp, .stopDaemon])
    #expect(throws: PhoneEventError.noSnapshot(name: "c")) {
      try self.plan(.restore([.key], name: "c", onto: .sameDevice, .verbatim), phone)
    }
  }

  @Test func `come back from an image as they were`() throws {
    var phone = try phone(backedUp: .none)
    _ = try phone.plan(for: .reboot, entropy: entropy)
    let text = JSONWriter.text(of: phone.stored)
    #expect(try PhoneKind.kind(stored: text) == .android)
    let again = try PhoneKind.phone(stored: text, ["backup-rules": "none"])
    #expect(again as? AndroidPhone == phone)
  }

  @Test func `turn every knob to every value, and refuse others`() throws {
    for knob in AndroidSettings.knobs {
      for value in knob.values {
        var settings = AndroidSettings()
        try settings.set(knob.name, to: value)
        #expect(settings == AndroidSettings() || value != knob.values[0], "\(knob.name) \(value)")
      }
      #expect(throws: KnobError.self) { try AndroidSettings([knob.name: "nonsense"]) }
    }
    #expect(try AndroidSettings(["accessibility": "ak"]) == AndroidSettings())
  }
}
