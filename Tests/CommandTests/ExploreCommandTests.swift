import Foundation
import Testing

extension Commands.Results {
  @Suite struct `lab explore` {
    private let user: User

    init() throws { user = try User() }

    @Test func `shows where the published store loses a session, and how to see it`() throws {
      let ended = try user.lab(
        "explore", "--store", "recipe", "--bound", "4", "--faults", "crashes")
      #expect(ended.code == 1)
      #expect(
        ended.lines.first
          == "recipe on ios, profile phone, depth 1, 1 writer, seed 1   workload: sign-in, refresh, "
          + "refresh")
      #expect(ended.lines.allSatisfy { $0.count <= 100 })
      #expect(ended.lines.contains { $0.hasPrefix("falseSignOut  kill behind K0 ") })
      let replay = try #require(ended.lines.last { $0.hasPrefix("replay: lab ") })
      let again = try user.shell("lab " + replay.dropFirst("replay: lab ".count))
      #expect(again.code == 0)
      #expect(again.lines.contains("1 replay, all as recorded"))
      #expect(again.output.contains("falseSignOut") || again.output.contains("secretLeft"))
    }

    @Test func `finds nothing in the store of one half, twice alike`() throws {
      let words = ["--store", "keychain-only", "--bound", "4", "--faults", "crashes", "--json"]
      let line = "lab explore " + words.joined(separator: " ")
      let (one, other) = (try user.shell(line), try user.shell(line))
      #expect(one.code == 0)
      #expect(one.output == other.output)
      let json = try one.json()
      #expect(json["schema"] as? String == "lab.explore/1")
      #expect((json["violations"] as? [Any])?.isEmpty == true)
      #expect(json["images"] as? Int ?? 0 > 10)
    }

    @Test func `refuses a phone that there is not`() throws {
      let foreign = try user.lab("explore", "--phone", "android", "--set", "appGroup=none")
      #expect(foreign.code == 64)
      let ofScenarios = try user.lab("explore", "--set", "client=seed")
      #expect(ofScenarios.code == 64)
      #expect(ofScenarios.errors.hasPrefix("lab: --set: 'client' changes nothing here "))
      #expect(try user.lab("explore", "--set", "jar=expo-1.6.12").code == 64)
      let barrier = try user.lab("explore", "--phone", "android", "--profile", "apfs")
      #expect(barrier.code == 64)
      #expect(barrier.errors.contains("no android phone has the profile 'apfs'"))
    }

    @Test func `refuses a store that there is not`() throws {
      #expect(try user.lab("explore", "--store", "recipy").code == 64)
      #expect(try user.lab("explore", "--depth", "4").code == 64)
      #expect(try user.lab("explore", "--faults", "crashs").code == 64)
      #expect(try user.lab("lint", "--writers", "2").code == 64)
      #expect(try user.lab("lint", "--store", "recipe", "--since", "3").code == 64)
    }
  }
}
