import Device
import Testing

/// What a phone does all day: a value and the manifest are replaced atomically, and a row of the
/// keychain's database is written in place and synced.
struct DailyWork {
  private static let values =
    "/data/Application/6C1B2F3A-9D0E-4F5A-8B7C-1D2E3F4A5B6C/Documents/RCTAsyncLocalStorage_V1"
  private static let database = "/keychains/keychain-2.db"
  private static let page = [UInt8](repeating: 7, count: 4_096)

  private(set) var driver: Driver
  private let folder: InodeID
  private let database: InodeID
  private var round = 0

  init(logLimit: Int) throws {
    var setup = DeviceSetup()
    setup.domains = [
      DurabilityDomain(name: "keychain", prefix: "/keychains", profile: .atomicItem),
      DurabilityDomain(name: "values", prefix: "/data", profile: .apfs),
    ]
    setup.logLimit = logLimit
    driver = Driver(StorageDevice(setup))
    try driver.makeDirectory("/keychains")
    var path = ""
    for name in Self.values.split(separator: "/") {
      path += "/\(name)"
      try driver.makeDirectory(path)
    }
    folder = try driver.id(path)
    database = try driver.create(Self.database)
  }

  var device: StorageDevice { driver.device }

  /// Ten operations.
  mutating func goOn() throws {
    round += 1
    let value = FileName("b0a1c2d3e4f5061728394a5b6c7d8e\(round % 16)")
    try replace(value, with: Self.page)
    try driver.call(
      .write(database, offset: round % 64 * 4_096 + 128, [UInt8](repeating: 1, count: 64)))
    try driver.call(.sync(database, dataOnly: true))
    try driver.call(.point("I1"))
    try driver.call(.write(database, offset: round % 8 * 4_096, Self.page))
    try driver.call(.sync(database, dataOnly: false))
  }

  /// As `atomically: true` does it: five operations.
  private mutating func replace(_ name: FileName, with bytes: [UInt8]) throws {
    let temporary = FileName(".dat.nosync\(round).tmp")
    let made = try driver.call(.create(in: folder, temporary, Ownership(mode: 0o600)))
    guard case .attributes(let attributes) = made else { throw DeviceError.invalid }
    try driver.call(.write(attributes.inode, offset: 0, bytes))
    try driver.call(.sync(attributes.inode, dataOnly: false))
    try driver.call(.rename(from: folder, temporary, to: folder, name, .replacing))
    try driver.call(.syncDirectory(folder))
    try driver.call(.release(attributes.inode))
  }
}
