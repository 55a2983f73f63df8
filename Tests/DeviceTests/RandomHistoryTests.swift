import Device
import Testing

@Suite struct `A random history` {
  private static let folders = ["", "/d", "/e", "/d/s", "/key"]

  private func path(_ draws: inout Draws) -> String {
    let folder = Self.folders[draws.below(Self.folders.count)]
    return "\(folder)/\(["a", "b", "s", "d", "e", "key"][draws.below(6)])"
  }

  private func step(_ draws: inout Draws, _ index: Int) -> PlainModel.Step {
    let path = path(&draws)
    switch draws.below(16) {
    case 0, 1, 2: return .create(path)
    case 3, 4: return .makeDirectory(path)
    case 5, 6, 7, 8:
      return .write(
        path, at: draws.below(3) * 3_000, UInt8(index % 250 + 1), count: 1 + draws.below(5_000))
    case 9: return .truncate(path, to: draws.below(9_000))
    case 10, 11: return .rename(path, self.path(&draws), .replacing)
    case 12: return .rename(path, self.path(&draws), draws.below(2) == 0 ? .exchange : .noReplace)
    case 13: return .link(path, self.path(&draws))
    case 14: return .unlink(path)
    default: return .removeDirectory(path)
    }
  }

  @Test func `gives a plain model's results, errors and contents`() throws {
    for seed in UInt64(0)..<12 {
      var draws = Draws(seed: seed)
      var driver = Driver(PersistenceProfile.all[Int(seed) % PersistenceProfile.all.count])
      let model = PlainModel()
      for index in 0..<250 {
        let step = step(&draws, index)
        #expect(driver.perform(step) == model.perform(step), "seed \(seed), \(index): \(step)")
        try driver.syncSomething(&draws)
        if index % 50 == 49 { #expect(driver.image() == model.image(), "seed \(seed), \(index)") }
      }
    }
  }

  /// Two named domains, so that renames cross them, in every pair of profiles.
  @Test func `keeps the invariants through syncs, moves between domains and power cuts`() throws {
    let profiles = PersistenceProfile.all
    for seed in UInt64(0)..<49 {
      var draws = Draws(seed: seed)
      var driver = Driver(domains: [
        ("one", "/d", profiles[Int(seed) % 7]), ("two", "/key", profiles[Int(seed) / 7 % 7]),
      ])
      for index in 0..<60 {
        _ = driver.perform(step(&draws, index))
        try driver.syncSomething(&draws)
        if index % 6 == 0 {
          #expect(driver.device.checkInvariants() == [], "seed \(seed), \(index)")
        }
        if draws.below(30) == 0 {
          driver = driver.afterPowerCut(.seeded(seed))
          #expect(driver.device.checkInvariants() == [], "seed \(seed), \(index)")
        }
      }
      let all = driver.afterPowerCut(.all).device.live.digest()
      #expect(all == driver.device.live.digest(), "seed \(seed)")
    }
  }

  /// A volume that was stored knows nothing but its bytes.
  private func forgetful(_ volume: Volume) throws -> Volume { try Volume(volume.stored) }

  @Test func `keeps no digest of what has changed`() throws {
    for seed in UInt64(0)..<40 {
      var draws = Draws(seed: seed)
      var driver = Driver(PersistenceProfile.all[Int(seed) % 7])
      for index in 0..<60 {
        _ = driver.perform(step(&draws, index))
        if draws.below(3) == 0 { driver.device.noteShares() }
        try driver.syncSomething(&draws)
        guard draws.below(3) == 0 else { continue }
        let digest = driver.device.liveDigest()
        #expect(digest == (try forgetful(driver.device.live)).digest(), "seed \(seed), \(index)")
        #expect(digest == driver.device.liveDigest() && digest == driver.device.live.digest())
      }
      driver.device.noteShares()
      let cut = driver.afterPowerCut(.seeded(seed)).device
      #expect(cut.live.digest() == (try forgetful(cut.live)).digest(), "seed \(seed)")
    }
  }

  @Test func `gives the same device twice`() throws {
    func run(_ seed: UInt64) throws -> (ImageDigest, [ImageDigest]) {
      var draws = Draws(seed: seed)
      var driver = Driver(.posixWeak)
      for index in 0..<60 {
        _ = driver.perform(step(&draws, index))
        try driver.syncSomething(&draws)
      }
      let cuts = (UInt64(0)..<5).map { driver.afterPowerCut(.seeded($0)).device.live.digest() }
      return (driver.device.live.digest(), cuts)
    }
    let (first, second) = (try run(4), try run(4))
    #expect(first.0 == second.0 && first.1 == second.1)
  }
}

extension Driver {
  mutating func perform(_ step: PlainModel.Step) -> DeviceError? {
    do throws(DeviceError) {
      switch step {
      case .create(let path): try create(path)
      case .makeDirectory(let path): try makeDirectory(path)
      case .write(let path, let start, let value, let count):
        try write(path, bytes(value, count), at: start)
      case .truncate(let path, let size): try truncate(path, to: size)
      case .rename(let path, let target, let mode): try rename(path, target, mode)
      case .link(let path, let target): try link(path, target)
      case .unlink(let path): try unlink(path)
      case .removeDirectory(let path): try removeDirectory(path)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Now and then a sync of some file or directory.
  mutating func syncSomething(_ draws: inout Draws) throws {
    guard draws.below(5) == 0 else { return }
    let paths = image().keys.sorted()
    guard !paths.isEmpty else { return }
    try sync(paths[draws.below(paths.count)])
  }
}
