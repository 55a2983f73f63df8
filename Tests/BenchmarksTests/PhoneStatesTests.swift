import Device
import Phone
import Simulation
import Testing

@testable import Chaos

@Suite struct `A walk over what a power cut leaves of a phone` {
  /// The device after each operation of a sign-in, a refresh and a launch.
  private func moments(_ kind: PhoneKind, _ store: String) throws -> [StorageDevice] {
    let text = """
      {
        schema: "\(Scenario.schema)", title: "walk", phones: ["\(kind.rawValue)"], seed: 7,
        stores: ["\(store)"], story: "Nothing happens.",
        steps: [
          { do: "sign-in" }, { do: "clock", by: "+55min" }, { do: "refresh", to: 2 },
          { do: "launch" },
        ],
        expect: { good: { "*": "noFailure" } },
      }
      """
    let scenario = try ScenarioReader.read(Array(text.utf8), name: "walk")
    let one = try #require(scenario.cases.first)
    let phone = try SimulatedPhone(PhoneSetup(kind, one.settings, seed: 7))
    let player = CasePlayer(on: phone, launch: AppLaunch(store: store, settings: one.settings))
    var moments: [StorageDevice] = []
    phone.box.onOperation = { _ in moments.append(phone.withDevice { $0 }) }
    defer { phone.box.onOperation = nil }
    try player.play(one.steps)
    return moments
  }

  @Test(arguments: PhoneKind.allCases, ["recipe", "durable"])
  func `has the digest of each state`(kind: PhoneKind, store: String) throws {
    let moments = try moments(kind, store)
    #expect(moments.count > 20)
    var images: Set<ImageDigest> = []
    for (number, device) in moments.enumerated() where number % 4 == 0 {
      var walk = CutWalk(device, countMax: 16, seed: UInt64(number))
      while let digest = walk.next() {
        let survivors = walk.survivors
        #expect(
          device.crashState(survivors).live.digest() == digest, "operation \(number): \(survivors)")
        images.insert(digest)
      }
    }
    #expect(images.count > 20)
  }
}
