package import Ports

extension AndroidPhone {
  static func modules(
    on ports: PhonePorts, _ daemon: any SystemDaemon, _ points: any TracePoint,
    crashes: any CrashHandler, _ launch: PhoneLaunch
  ) throws -> NativeModules {
    let settings = try AndroidSettings(launch.chosen)
    guard ports.files.kind(of: AndroidLayout.data) != nil else { throw AppNotInstalled() }
    return NativeModules(
      secure: SecureStoreModule(
        daemon: daemon, points: points, files: ports.files, settings: settings.secureStore,
        preferences: settings.preferences),
      plain: plain(on: ports, points, crashes, settings.asyncStorage))
  }

  private static func plain(
    on ports: PhonePorts, _ points: any TracePoint, _ crashes: any CrashHandler,
    _ settings: AndroidStorageSettings
  ) -> any PlainStorage {
    switch settings.version {
    case .two:
      RKStorageModule(
        files: ports.files, points: points, console: ports.console, crashes: crashes,
        settings: settings)
    case .three:
      RoomStorageModule(
        files: ports.files, entropy: ports.entropy, points: points, console: ports.console,
        settings: settings)
    case .threeScoped:
      ScopedStorageModule(
        files: ports.files, points: points, console: ports.console, settings: settings)
    }
  }

  static func service(
    on ports: PhonePorts, _ lockState: LockState, _ launch: PhoneLaunch
  ) throws -> any PhoneService {
    KeystoreService(
      on: ports, settings: try AndroidSettings(launch.chosen).keystore, lockState: lockState)
  }

  package var inventoryFolder: String { AndroidLayout.data }

  package var serviceFolders: [String] {
    [AndroidLayout.keystoreDirectory, AndroidLayout.keyMintDirectory]
  }

  package func inventory(
    files: any FileSystem, readsOrphans: Bool, ask: (String) -> String?
  ) -> Inventory {
    let stored = AndroidInventory.blobs(files: files, version: settings.asyncStorage.version)
    return Inventory(
      keys: AndroidInventory.keys(files: files, ask: ask), blobs: stored.blobs,
      indexes: stored.indexes)
  }
}
