import Foundation
import Testing

extension Commands.Phones {
  /// PyPI's `supabase-auth`, the vendor's own client, whose storage lies on a mounted phone. What it
  /// expects and the server does not do is a defect of the server.
  @Suite(.enabled(if: FileManager.default.fileExists(atPath: "/dev/fuse")))
  struct `A client that is not ours` {
    /// Runs flows of `Tests/ForeignClient`, all of them without a name.
    private func run(_ user: User, _ serving: Serving, _ flows: String = "") throws -> Ended {
      let probe = try user.shell("'\(Python.path)' -c 'import supabase_auth'")
      try #require(
        probe.code == 0,
        """
        \(Python.path) cannot import supabase_auth, whose client this test runs. Install \
        Tests/requirements.txt into a virtual environment, and name its Python in LAB_PYTHON.
        """)
      return try user.shell(
        "exec '\(Python.path)' -B '\(Python.script("main.py"))' \(serving.base) my-phone/app \(flows)"
      )
    }

    @Test(arguments: ["ios", "android"])
    func `gets what it expects, with and without faults, and no secret is logged`(phone: String)
      throws
    {
      let user = try User()
      let mounted = try user.mount("my-phone", "--phone", phone)
      let serving = try Serving(user)
      let ended = try run(user, serving)
      #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
      #expect(ended.lines.count { $0.hasPrefix("ok ") } == 24, "\(ended.output)")
      let stored = try user.shell("cat my-phone/app/*/*").output
      serving.process.send(SIGTERM)
      let served = try serving.process.wait()
      let said = served.output + served.errors
      #expect(said.contains("POST /auth/v1/token 200"))
      let tokens = stored.matches(of: /"(?:access|refresh)_token": ?"([^"]+)"/).map(\.output.1)
      #expect(tokens.count >= 20)
      for secret in tokens + ["correct horse", "eyJ", "@example.com", "otpauth"] {
        #expect(!said.contains(secret))
      }
      #expect(try user.lab("unmount").code == 0)
      #expect(try mounted.wait().code == 0)
    }

    @Test func `is still signed in when phone and server were killed`() throws {
      let user = try User()
      for flows in ["signs_in_and_starts_cold", "is_still_signed_in"] {
        let phone = try user.mount("my-phone", "--image", "phone.db")
        let serving = try Serving(user, "--state", "auth.db")
        let ended = try run(user, serving, flows)
        #expect(ended.lines == ["ok \(flows)"], "\(ended.errors)")
        serving.process.send(SIGKILL)
        #expect(try serving.process.wait().code == 137)
        #expect(try user.lab("unmount").code == 0)
        #expect(try phone.wait().code == 0)
      }
    }
  }
}
