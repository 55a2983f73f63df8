package import Ports

extension IOSPhone: PhoneModel {
  package var kind: PhoneKind { .ios }
  package var domains: [StorageDomain] { IOSLayout.domains }
  package var launchProblem: String? { nil }
  package func canRead(_ blob: Inventory.BlobItem) -> Bool { true }

  package mutating func update(
    _ chosen: [String: String]
  ) throws(KnobError) -> [PhoneEffect] {
    let old = settings
    try settings.set(chosen)
    var effects: [PhoneEffect] = []
    if settings.fileProtection != old.fileProtection { effects.append(.sealPaths(sealedPaths)) }
    if settings.keychain != old.keychain { effects += [.stopDaemon, .startDaemon] }
    // Their class key goes with the passcode, and does not come back with another one.
    if old.keychain.hasPasscode, !settings.keychain.hasPasscode {
      effects.append(request(.dropPasscodeItems))
    }
    return effects
  }

  package var inventoryFolder: String { IOSLayout.containers }

  package var serviceFolders: [String] {
    [IOSLayout.keychainDirectory, IOSLayout.keybagDirectory]
  }

  package func inventory(
    files: any FileSystem, readsOrphans: Bool, ask: (String) -> String?
  ) -> Inventory {
    IOSInventory.take(
      keychain: ask(KeychainRequest.list.text).map(KeychainAnswer.reading), files: files,
      layout: isInstalled ? layout : nil, readsOrphans: readsOrphans)
  }

  static func modules(
    on ports: PhonePorts, _ daemon: any SystemDaemon, _ points: any TracePoint,
    _ launch: PhoneLaunch
  ) throws -> NativeModules {
    var settings = try IOSSettings(launch.chosen)
    settings.asyncStorage.processNumber = launch.processNumber
    return NativeModules(
      secure: KeychainModule(
        daemon: daemon, points: points, accessibility: settings.accessibility,
        updateSetsAccessibility: settings.updateSetsAccessibility),
      plain: plain(on: ports, points, try layout(on: ports.files), settings.asyncStorage))
  }

  private static func plain(
    on ports: PhonePorts, _ points: any TracePoint, _ layout: IOSLayout,
    _ settings: AsyncStorageSettings
  ) -> any PlainStorage {
    switch settings.version {
    case .two, .three:
      AsyncStorageModule(
        layout: layout, files: ports.files, entropy: ports.entropy, points: points,
        console: ports.console, settings: settings)
    case .threeScoped:
      ScopedStorageModule(
        settings.scopeName, in: layout, files: ports.files, points: points,
        console: ports.console)
    }
  }

  /// The container that is there. A directory that was never a phone becomes one by being used.
  private static func layout(on files: any FileSystem) throws -> IOSLayout {
    if let layout = try IOSLayout.find(on: files) { return layout }
    do {
      _ = try files.status(IOSLayout.containers)
    } catch {
      guard error.code == FileError.noEntry else { throw error }
      return try IOSLayout(installCount: 1)
    }
    throw AppNotInstalled()
  }

  static func service(
    on ports: PhonePorts, _ lockState: LockState, _ launch: PhoneLaunch
  ) throws -> any PhoneService {
    KeychainService(
      files: ports.files, entropy: ports.entropy, clock: ports.clock, console: ports.console,
      settings: try IOSSettings(launch.chosen).keychain, lockState: lockState)
  }
}

extension KeychainService: PhoneService {
  package func reply(to request: String) -> ServiceReply {
    let order: KeychainRequest
    do {
      order = try KeychainRequest(request)
    } catch {
      console.error("keychain: bad request: \(error)")
      return ServiceReply(text: KeychainAnswer(.parameter).text)
    }
    let answer = answer(order)
    return ServiceReply(
      text: answer.text, commitsItem: order.changesItems && answer.status == .success,
      ends: order == .quit)
  }
}
