import Foundation
import Testing

extension Commands.Results {
  @Suite struct `A story that was found` {
    private let user: User
    private static let line =
      "lab explore --client seed --store recipe --story stay --fault kill@74"

    init() throws { user = try User() }

    @Test func `lies in a file that shows it again`() throws {
      let found = try user.shell(Self.line)
      #expect(found.code == 1)
      let replay = try #require(found.lines.last { $0.hasPrefix("replay: lab ") })
      let again = try user.shell("lab " + replay.dropFirst("replay: lab ".count))
      #expect(again.code == 0, "\(again.output)")
      #expect(again.lines.allSatisfy { $0.count <= 100 })
      #expect(again.lines.contains { $0.hasPrefix("  falseSignOut: ") })
      #expect(again.lines.contains { $0.hasPrefix("  X ") && $0.contains("kill@74") })
      #expect(again.lines.last == "1 replay, all as recorded")
    }

    @Test func `is named by the program's output, and shrunk no further`() throws {
      let json = try user.shell(Self.line + " --out mine --json").json()
      let violations = try #require(json["violations"] as? [[String: Any]])
      let name = try #require(violations.first?["replay"] as? String)
      let before = try user.shell("cat mine/\(name)").output
      let shrunk = try user.lab("shrink", "mine/\(name)", "--out", "small.json")
      #expect(shrunk.code == 0)
      #expect(
        shrunk.lines == [
          "small.json: already smallest: 1 fault (1 try)", "next: lab replay small.json",
        ])
      #expect(try user.shell("cat small.json").output == before)
      for tier in ["mounted", "both"] {
        let ended = try user.lab("replay", "mine/\(name)", "--tier", tier)
        #expect(ended.code == 64)
        #expect(ended.errors.contains("plays on the simulated tier only"), "\(ended.errors)")
      }
      let replayed = try user.lab("replay", "mine", "--json").json()
      let one = try #require((replayed["replays"] as? [[String: Any]])?.first)
      #expect(one["same"] as? Bool == true)
      #expect(one["story"] as? String == "stay")
    }

    @Test func `is a finding of its own when it shows something else now`() throws {
      #expect(try user.shell(Self.line + " --out mine").code == 1)
      let path = "falseSignOut-stay-kill-seed-recipe-ios.json"
      #expect(try user.shell("sed 's/kill@74/kill@7400/' mine/\(path) > other.json").code == 0)
      let shrunk = try user.lab("shrink", "other.json")
      #expect(shrunk.code == 1)
      #expect(shrunk.lines == ["other.json: does not show falseSignOut here; unchanged"])
      let ended = try user.lab("replay", "other.json")
      #expect(ended.code == 1)
      #expect(ended.output.contains("the fault fell nowhere"))
      #expect(ended.lines.last == "1 replay, 1 NOT as recorded")
    }
  }
}
