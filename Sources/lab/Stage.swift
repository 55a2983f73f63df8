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
  /// - Throws: ``Failure`` when the tier that was asked for cannot be had.
  init(_ tier: Tier?, _ console: Console) throws {
    do {
      switch tier ?? Self.possibleTier(console) {
      case .simulated:
        lane = nil
        var setup = PhoneSetup()
        setup.seed = 0
        phone = try SimulatedPhone(setup)
      case .mounted:
        try Self.pin()
        let lane = try Lane(
          programs: PhoneHost.Programs(besideExecutable: Files.currentExecutable()))
        self.lane = lane
        phone = lane.host
      }
    } catch let error as PhoneHostError {
      throw Failure.couldNotRun("\(error)")
    }
  }

  /// The mounted tier, or the simulated one where no phone can be mounted, which is said.
  private static func possibleTier(_ console: Console) -> Tier {
    do {
      try FuseDevice.check()
      return .mounted
    } catch {
      let reason =
        if case .noFuse = error { "/dev/fuse is missing" } else { "/dev/fuse cannot be opened" }
      console.note(
        "MOUNTED TIER NOT RUN: \(reason); simulated only (--tier mounted makes this an error)")
      return .simulated
    }
  }

  /// One processor for this thread and all that it starts: they take turns, and to wake one on another
  /// processor costs more than what it then does.
  private static func pin() throws {
    let processors = try Affinity.processors()
    // Two labs at a time are likely to have one each.
    try Affinity.pin(to: processors[Int(getpid()) % processors.count])
  }

  func close() { lane?.close() }
}
