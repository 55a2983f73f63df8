import Foundation
import Testing

extension Commands.Programs {
  @Suite struct `lab replay --as` {
    private let user: User
    private static let finding =
      "\(Repository.root)/Tests/ChaosTests/Replays/falseSignOut-explore-recipe-android-2.json"

    init() throws { user = try User() }

    private func script(_ words: String, _ location: SourceLocation = #_sourceLocation) throws
      -> String
    {
      let ended = try user.shell("lab replay \(words) > script")
      #expect(ended.code == 0, "\(ended.errors)", sourceLocation: location)
      let text = try user.read("script")
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 200 }, sourceLocation: location)
      if words.contains("maestro") {
        let documents = try user.check("yaml", "script")
        #expect(documents.lines == ["2"], "\(documents.errors)\(text)", sourceLocation: location)
      } else {
        let syntax = try user.shell("sh -n script")
        #expect(syntax.code == 0, "\(syntax.errors)\(text)", sourceLocation: location)
      }
      return text
    }

    @Test func `tells a case of a scenario for a simulator`() throws {
      let text = try script("torn-save --case K1 --as simctl --bundle com.you.app")
      #expect(text.hasPrefix("#!/bin/sh\n# torn-save, K1: "))
      #expect(text.contains("\napp=com.you.app\n"))
      #expect(text.contains("1 of 4 steps have a command, 2 are by hand, 1 have no equivalent"))
      #expect(text.contains("# NO EQUIVALENT: a simulator has the Mac's clock"))
      #expect(text.contains("behind SecureStore.setItemAsync'\nxcrun simctl terminate booted"))
      #expect(text.hasSuffix("xcrun simctl launch booted \"$app\"\n"))
    }

    @Test func `tells a replay file for adb, with the point nearest to its operation`() throws {
      let text = try script("'\(Self.finding)' --as adb")
      #expect(text.contains("stop the app in its debugger inside SecureStore.setItemAsync"))
      #expect(text.contains("which came behind K0 (before the key)"))
      #expect(text.contains("adb shell am force-stop \"$app\""))
    }

    @Test(arguments: [
      ("keychain-reset --as maestro", "- clearKeychain"),
      ("keychain-reset --as simctl", "xcrun simctl keychain booted reset"),
      ("torn-save --case K1 --as maestro --phone android", "- stopApp"),
      ("app-data-without-key --as simctl", "NO EQUIVALENT"),
      ("cleared-data --as adb", "adb shell pm clear \"$app\""),
      ("keystore-loss --case from-13.0.2 --as adb", "tar -xf - < lab-keystore-loss.tar"),
      ("reinstall-ghost --as simctl", "xcrun simctl uninstall booted"),
      ("torn-manifest --case cut --as simctl", "truncate(shift, 1)"),
      ("stale-blob --as adb", "run-as \"$app\" tar -cf - databases files"),
      ("torn-refresh --case hardened+B0 --as adb", "# torn-refresh, hardened B0: "),
      ("locked-read --as maestro", "- pressKey: Lock"),
    ]) func `has the command of the tool`(words: String, command: String) throws {
      #expect(try script(words).contains(command))
    }

    @Test(arguments: [
      ("torn-save --as adb", "several cases; --case one of: a point such as K1"),
      (
        "keystore-loss --as simctl",
        "android phone, which simctl does not drive; there are: maestro adb"
      ),
      (
        "torn-refresh --as adb",
        "several cases; --case one of: seed, hardened, a point such as K1"
      ),
      ("torn-save --case K7 --as adb", "no point 'K7'; nearest: K"),
      ("torn-save --case K1", "--case is for --as"),
      ("x.json --as adb --json", "--json is not for"),
      ("torn-save --case K1 --as adb --bundle 'a;b'", "'a;b' is not an app's id"),
      ("torn-save --as adbd", "no 'adbd'; nearest: adb"),
    ]) func `refuses what it cannot tell`(words: String, reason: String) throws {
      let ended = try user.shell("lab replay \(words)")
      #expect(ended.code == 64 && ended.output.isEmpty)
      #expect(ended.errors.contains(reason), "\(ended.errors)")
    }

    @Test func `lets no name out of its quotes`() throws {
      try user.write(
        """
        { schema: "lab.scenario/1", title: "Bad", phones: ["android"], story: "Names.",
          steps: [{ do: "sign-in" }, { do: "snapshot", name: "a'; touch owned; '\\nb", half: "blob" },
            { do: "restore", name: "a'; touch owned; '\\nb", half: "blob",
              device: "same" }, { do: "launch" }],
          expect: { good: { "*": ["keep"] } } }
        """, to: "names.json5")
      let text = try script("names.json5 --as adb")
      // The commands, with programs that do nothing in the place of adb.
      #expect(try user.shell("(echo 'adb() { :; }'; cat script) > run; yes '' | sh run").code == 0)
      #expect(!user.exists("owned"), "\(text)")
    }
  }
}
