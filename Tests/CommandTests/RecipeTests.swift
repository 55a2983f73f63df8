import Foundation
import Testing

extension Commands.Phones {
  /// `Documentation/CI.md` and the container file: what they say must work.
  @Suite struct `The recipe for CI` {
    private func blocks(_ language: String) throws -> [Markdown.Block] {
      try Markdown("Documentation/CI.md").blocks.filter { $0.language == language }
    }

    /// Those of the page are looked at with those of all pages.
    @Test func `has a container file with command lines that lab understands`() throws {
      let lines = try Repository.text("Containerfile").split(separator: "\n")
        .filter { $0.hasPrefix("#   ") || $0.hasPrefix("RUN") }
        .map { String($0.trimmingPrefix(/[# ]*/)) }
      let calls = lines.flatMap(CommandLine.calls)
      #expect(calls == [["chaos"], ["install", "--prefix", "/opt/lab"]])
      for words in calls { #expect(CommandLine.problem(words) == nil) }
    }

    @Test func `has workflows that can be read, and one whose jobs need each other`() throws {
      let user = try User()
      let flows = try blocks("yaml")
      #expect(flows.count == 2)
      for flow in flows {
        try user.write(flow.text, to: "flow.yaml")
        let checked = try user.check("yaml", "flow.yaml")
        #expect(checked.code == 0 && checked.lines == ["1"], "\(checked.errors)")
      }
      for part in ["needs: [build, chaos]", "shard: [1, 2, 3, 4]", "/4", "if: always()"] {
        #expect(flows[0].text.contains(part), "\(part)")
      }
    }

    @Test func `has shell lines that a shell can read`() throws {
      let user = try User()
      for block in try blocks("sh") {
        try user.write(block.text, to: "block.sh")
        #expect(try user.shell("sh -n block.sh").code == 0, "\(block.text)")
      }
    }

    @Test func `needs the libraries that the container file names`() throws {
      let user = try User()
      let shared = try user.shell("ldd \(User.programs)/lab").output
      let file = try Repository.text("Containerfile")
      for (library, package) in [
        ("libcrypto.so.3", "libssl3"), ("libevent-2.1.so.7", "libevent-2.1-7"),
        ("libfuse3.so.3", "fuse3"), ("libsqlite3.so.0", "libsqlite3-0"),
      ] {
        #expect(shared.contains(library) && file.contains(package), "\(library)")
      }
      let known = [
        "lib(c|m|gcc_s|stdc\\+\\+)\\.so", "linux-vdso", "ld-linux", "/swift/", "libz\\.",
      ]
      let others = try user.shell(
        "ldd \(User.programs)/lab | grep -vE '\(known.joined(separator: "|"))' | wc -l")
      #expect(others.lines.first?.trimmingCharacters(in: .whitespaces) == "4", "\(shared)")
    }
  }
}
