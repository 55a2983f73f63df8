import Foundation
import Testing

extension Commands.Results {
  @Suite struct `lab replay and lab shrink` {
    private let user: User
    private static let folder =
      URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
      + "/ChaosTests/Replays"
    /// A kill at an operation of a save.
    private static let old = "\(folder)/falseSignOut-explore-recipe-android-4.json"

    init() throws { user = try User() }

    private func write(_ name: String, _ old: String, _ new: String) throws {
      let text = try String(contentsOfFile: Self.old, encoding: .utf8)
      let changed = text.replacing(old, with: new)
      try #require(changed != text)
      try user.write(changed, to: name)
    }

    @Test func `show an old finding as it was recorded`() throws {
      let ended = try user.lab("replay", Self.old)
      #expect(ended.code == 0, "\(ended.errors)")
      // A command to paste stays in one piece.
      #expect(ended.lines.allSatisfy { $0.count <= 100 || $0.hasPrefix("next: ") })
      #expect(
        ended.lines.first
          == "falseSignOut-explore-recipe-android-4  recipe on android  4 decisions, "
          + "found by lab explore")
      #expect(ended.lines.contains { $0.contains("KILLED") })
      #expect(ended.lines.contains("    verdicts: falseSignOut, as recorded"))
      #expect(ended.lines.dropLast().last == "1 replay, all as recorded")
      #expect(
        ended.lines.last == "next: lab replay \(Self.old) --as adb   (the same on a device)")
    }

    @Test func `show every old finding, to the byte of what is stored`() throws {
      let ended = try user.lab("replay", Self.folder, "-q")
      #expect(ended.code == 0, "\(ended.output)")
      #expect(ended.lines.last?.hasSuffix(" replays, all as recorded") == true)
    }

    @Test func `refuse at once what is no file`() throws {
      #expect(try user.shell("mkfifo pipe.json").code == 0)
      for path in ["pipe.json", "/dev/zero"] {
        let ended = try user.lab("replay", path)
        #expect(ended.code == 2)
        #expect(ended.errors.contains("\(path) is no regular file"), "\(ended.errors)")
      }
    }

    @Test func `leave a file as it was that cannot be written`() throws {
      let text = try String(contentsOfFile: Self.old, encoding: .utf8)
      try user.write(text, to: "kept.json")
      // Where the new text would be written first.
      #expect(try user.shell("mkdir -p kept.json.new/full").code == 0)
      let ended = try user.lab("shrink", "kept.json")
      #expect(ended.code == 2)
      #expect(try user.shell("cat kept.json").output == text)
      #expect(try user.shell("rm -r kept.json.new").code == 0)
      #expect(try user.lab("shrink", "kept.json").code == 0)
    }

    @Test func `say that another image is stored`() throws {
      let file = try Data(contentsOf: URL(filePath: Self.old))
      let old = try #require(try JSONSerialization.jsonObject(with: file) as? [String: Any])
      let image = try #require((old["images"] as? [String])?.last)
      let other = String(image.reversed())
      try write("image.json", image, other)
      let ended = try user.lab("replay", "image.json")
      #expect(ended.code == 1)
      #expect(ended.output.contains("    verdicts: falseSignOut, as recorded"))
      #expect(ended.output.contains("    images recorded: \(other)"))
      #expect(ended.output.contains("    images shown: \(image)"))
    }

    @Test func `name the decision that is another`() throws {
      try write("moved.json", "kill@op:6", "kill@op:5")
      let ended = try user.lab("replay", "moved.json")
      #expect(ended.code == 1)
      #expect(ended.output.contains("    choice 2: recorded 'write "), "\(ended.output)")
      #expect(ended.output.contains("the recorded operation is op:6 now"), "\(ended.output)")
      #expect(ended.lines.dropLast().last == "1 replay, 1 NOT as recorded")
      #expect(
        ended.lines.last
          == "next: lab shrink moved.json   (takes over a change that was meant)")
    }

    @Test func `play both tiers, and say it in JSON`() throws {
      let ended = try user.lab("replay", Self.old, "--tier", "both", "--json")
      let json = try ended.json()
      #expect(json["schema"] as? String == "lab.replayed/1")
      let replays = try #require(json["replays"] as? [[String: Any]])
      #expect(replays.map { $0["tier"] as? String } == ["simulated", "mounted"])
      #expect(replays.first?["same"] as? Bool == true)
      let verdicts = replays.map { $0["verdicts"] as? [String: [String]] }
      #expect(verdicts[0] == verdicts[1])
    }

    @Test func `refuse what they cannot read, with its place`() throws {
      try write("format.json", "lab.replay/1", "lab.replay/2")
      let format = try user.lab("replay", "format.json")
      #expect(format.code == 2 && format.output.isEmpty)
      #expect(format.errors.hasPrefix("format.json:"))
      #expect(format.errors.contains("another format than 'lab.replay/2'"))
      try write("store.json", "\"recipe\"", "\"recipy\"")
      let store = try user.lab("shrink", "store.json")
      #expect(store.code == 2 && store.errors.contains("unknown store 'recipy'; nearest: recipe"))
      #expect(try user.lab("replay", "nowhere.json").code == 2)
      #expect(try user.lab("replay").code == 64)
      #expect(try user.lab("replay", Self.old, "--tier", "bath").code == 64)
    }

    @Test func `make a finding smaller, in place or elsewhere`() throws {
      let more = """
        "do": "sign-in"
            },
            {
              "do": "store-secret",
              "name": "pin"
        """
      try write("big.json", "\"do\": \"sign-in\"", more)
      let elsewhere = try user.lab("shrink", "big.json", "--out", "small.json")
      #expect(elsewhere.code == 0)
      #expect(elsewhere.output.hasPrefix("small.json: shrunk: 5 -> 4 decisions ("))
      #expect(try user.lab("replay", "small.json").code == 0)
      let before = try user.read("big.json")
      #expect(try user.lab("shrink", "big.json").code == 0)
      #expect(try user.read("big.json") == user.read("small.json"))
      #expect(try user.read("big.json") != before)
    }

    @Test func `leave a file alone that shows another failure than it says`() throws {
      try write("cured.json", "\"recipe\"", "\"durable\"")
      let before = try user.read("cured.json")
      let ended = try user.lab("shrink", "cured.json")
      #expect(ended.code == 1)
      #expect(ended.output.contains("does not show falseSignOut here"))
      #expect(try user.read("cured.json") == before)
    }
  }
}
