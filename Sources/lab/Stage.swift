import Chaos
import Glibc
import Linux
import Mount
import Terminal

/// The phone of the lab's own that scenarios run on, on one of the tiers.
struct Stage {
  let phone: any HostedPhone
  private let lane: Lane?

  /// Makes a phone on a tier; `nil` is the mounted one, or the simulated one where none can be mounted.
  ///
  /// - Parameters:
  ///   - tier: Which tier.
  ///   - console: Told of a tier that cannot be had.
  ///   - number: Tells this process from others that work at the same time: two neighbours get
  ///     processors of their own.
  /// - Throws: `Failure` when the tier that was asked for cannot be had.
  init(_ tier: Tier?, _ console: Console, number: Int = Int(getpid())) throws {
    do {
      switch tier ?? Self.possibleTiers(console)[0] {
      case .simulated:
        lane = nil
        var setup = PhoneSetup()
        setup.seed = 0
        phone = try SimulatedPhone(setup)
      case .mounted:
        try Self.pin(number)
        let lane = try Lane(
          programs: PhoneHost.Programs(besideExecutable: Files.currentExecutable()))
        self.lane = lane
        phone = lane.host
      }
    } catch let error as PhoneHostError {
      throw Failure.couldNotRun("\(error)")
    }
  }

  /// The tiers that were asked for, the one that proves more first.
  ///
  /// - Throws: `Failure` when one of them cannot be had.
  static func tiers(_ word: String) throws -> [Tier] {
    let tiers = Tier(rawValue: word).map { [$0] } ?? [.mounted, .simulated]
    guard tiers.contains(.mounted) else { return tiers }
    do {
      try FuseDevice.check()
    } catch {
      throw Failure.couldNotRun("\(PhoneHostError.mount(error))")
    }
    return tiers
  }

  /// Both tiers, or only the simulated one where no phone can be mounted, which is said.
  static func possibleTiers(_ console: Console) -> [Tier] {
    guard let missing = missingTier else { return [.mounted, .simulated] }
    console.note(missing)
    return [.simulated]
  }

  /// Why no phone can be mounted here; `nil` where one can.
  static var missingTier: String? {
    do {
      try FuseDevice.check()
      return nil
    } catch {
      let reason =
        if case .noFuse = error { "/dev/fuse is missing" } else { "/dev/fuse cannot be opened" }
      return
        "MOUNTED TIER NOT RUN: \(reason); simulated only (--tier both makes this an error)"
    }
  }

  /// One processor for this thread and all that it starts: they take turns, and to wake one on another
  /// processor costs more than what it then does.
  private static func pin(_ number: Int) throws {
    let processors = try Affinity.processors()
    try Affinity.pin(to: processors[number % processors.count])
  }

  func close() { lane?.close() }
}
