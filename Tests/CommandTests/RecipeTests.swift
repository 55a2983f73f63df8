import Foundation
import JSON
import Terminal
import Testing

@testable import lab

extension Commands {
  /// `Documentation/CI.md` and the container file: what they say must work.
  @Suite struct `The recipe for CI` {
    /// The blocks of a page between fences, with their language.
    private func blocks(_ page: String) -> [(language: String, text: String)] {
      page.matches(of: /(?ms)^```(\w+)\n(.*?)^```/).map {
        (String($0.output.1), String($0.output.2))
      }
    }

    /// The words behind `lab` in each command line of a text.
    private func commandLines(_ text: String) -> [[String]] {
      let whole = text.replacing("\\\n", with: " ").replacing(/\$\{\{.*?\}\}/, with: "1")
      return whole.split(separator: "\n").compactMap { line in
        guard let match = line.firstMatch(of: /(?:^|[\s\/`])lab ([a-z][^|>`;&]*)/) else {
          return nil
        }
        return match.output.1.split(separator: " ").map {
          $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
        }
      }
    }

    @Test func `has command lines that lab understands`() throws {
      let page = try Repository.text("Documentation/CI.md")
      let container = try Repository.text("Containerfile")
      // Prose names commands; with an option it is a command line.
      let prose = page.matches(of: /`((?:\.\/)?lab [^`\n]* --[^`\n]*)`/).map { String($0.output.1) }
      let texts = blocks(page).map(\.text) + [container] + prose
      let names = Set(Lab.program.commands.map(\.name))
      let lines = texts.flatMap(commandLines).filter { names.contains($0[0]) }
      #expect(lines.count >= 15)
      for words in lines {
        #expect(throws: Never.self, "\(words)") { try Lab.program.parse(words) }
      }
      for wrong in ["chaos --budged 5m", "run --phone windows", "list fault", "merge"] {
        #expect(throws: Failure.self, "\(wrong)") {
          try Lab.program.parse(wrong.split(separator: " ").map(String.init))
        }
      }
    }

    @Test func `has a workflow whose jobs need each other`() throws {
      let user = try User()
      let flows = try blocks(Repository.text("Documentation/CI.md")).filter {
        $0.language == "yaml"
      }
      #expect(flows.count == 1)
      try user.write(flows[0].text, to: "flow.yaml")
      let checked = try user.check("yaml", "flow.yaml")
      #expect(checked.code == 0 && checked.lines == ["1"], "\(checked.errors)")
      for part in ["needs: [build, chaos]", "shard: [1, 2, 3, 4]", "/4", "if: always()"] {
        #expect(flows[0].text.contains(part), "\(part)")
      }
    }

    @Test func `has shell lines that a shell can read`() throws {
      let user = try User()
      for block in try blocks(Repository.text("Documentation/CI.md")) where block.language == "sh" {
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
