import Foundation
import Testing

extension Commands.Phones {
  /// The tutorials: whoever types what they say sees what they show.
  @Suite(.enabled(if: FileManager.default.fileExists(atPath: "/dev/fuse")))
  struct `A tutorial` {
    private let user: User

    init() throws { user = try User() }

    @Test(arguments: ["WatchASessionGetLost.md", "TestYourOwnStore.md"])
    func `can be followed to its end`(name: String) throws {
      try user.require("node", package: "nodejs")
      let tutorial = Tutorial(try Markdown("Documentation/\(name)"))
      #expect(tutorial.steps.count > 8)
      let wrong = try tutorial.follow(as: user)
      #expect(wrong.isEmpty, "\n\(wrong.joined(separator: "\n"))")
    }

    /// A page whose first output is right and whose others are not, each in its own way.
    private static let wrongPage = """
      # Wrong

      ```console
      $ ./lab list phones
        ios      an iPhone: …
      …
      $ ./lab list phones
        ios      an iPhone: keychain and …, each with its unreal files
      …
      $ ./lab list phones
        ios      an iPhone: …
      $ ./lab inject kill@K1 || echo "ended with $?"
      …
      ended with 0
      $ ./lab mount my-phone &
      it is mounted
      $ ./lab unmount
      …
      ```
      """

    @Test func `with a wrong output is found out`() throws {
      let wrong = try Tutorial(Markdown(path: "wrong.md", text: Self.wrongPage)).follow(
        as: user, patience: 10)
      let typed = wrong.map { $0.split(separator: "\n")[0] }
      #expect(
        typed == [
          "$ ./lab list phones", "$ ./lab list phones",
          "$ ./lab inject kill@K1 || echo \"ended with $?\"",
          "$ ./lab mount my-phone &",
        ], "\(wrong)")
    }

    @Test func `that leaves a phone mounted is found out`() throws {
      let page = "```console\n$ ./lab mount my-phone &\n…\n```\n"
      let wrong = try Tutorial(Markdown(path: "open.md", text: page)).follow(as: user, patience: 2)
      #expect(wrong == ["$ ./lab mount my-phone &\nis still running"])
      try user.lab("unmount")
    }
  }
}
