import Foundation
import Testing

extension Commands.Phones {
  @Suite struct `lab install` {
    private let user: User
    private static let files = [
      "bin/lab", "bin/lab-app", "share/bash-completion/completions/lab",
      "share/fish/vendor_completions.d/lab.fish", "share/man/man1/lab.1",
      "share/zsh/site-functions/_lab",
    ]

    init() throws { user = try User() }

    private func found(in prefix: String) throws -> [String] {
      try user.shell("cd \(prefix) && find . -type f | cut -c 3- | sort").lines
    }

    @Test func `puts a lab there that runs, and takes it away again`() throws {
      let ended = try user.lab("install", "--prefix", "here/to")
      #expect(ended.code == 0, "\(ended.errors)")
      #expect(ended.lines.last == "installed: 6 files")
      #expect(ended.errors.contains("here/to/bin is not in PATH"))
      #expect(try found(in: "here/to") == Self.files)
      let run = try user.shell("here/to/bin/lab run locked-save --store durable")
      #expect(run.code == 0, "\(run.errors)")
      // Over itself, while it runs.
      #expect(try user.shell("here/to/bin/lab install --prefix here/to").code == 0)
      #expect(try found(in: "here/to") == Self.files)
      let removed = try user.lab("install", "--prefix", "here/to", "--uninstall")
      #expect(removed.lines.last == "removed: 6 files")
      #expect(try found(in: "here/to") == [])
      let again = try user.lab("install", "--prefix", "here/to", "--uninstall")
      #expect(again.code == 0 && again.lines == ["nothing of lab is in here/to"])
    }

    @Test func `refuses what it cannot write, and writes nothing`() throws {
      try user.write("", to: "file")
      for prefix in ["file", "/proc/self/fdinfo", "/sys"] {
        let ended = try user.lab("install", "--prefix", prefix)
        #expect(ended.code == 2, "\(prefix)")
        #expect(ended.errors.contains("nothing was installed.  do: lab install --prefix ~/.local"))
      }
    }

    @Test func `leaves all as it was when the disk is full`() throws {
      #expect(
        try user.shell("mkdir small && mount -t tmpfs -o size=200k none small").code == 0)
      defer { _ = try? user.shell("umount small") }
      #expect(try user.shell("mkdir small/bin && printf '\\177ELF old' > small/bin/lab").code == 0)
      let ended = try user.lab("install", "--prefix", "small")
      #expect(ended.code == 2)
      #expect(ended.errors.contains("No space left on device; nothing was installed"))
      #expect(try found(in: "small") == ["bin/lab"])
      #expect(try user.shell("cat small/bin/lab").output.hasSuffix("ELF old"))
    }

    @Test(arguments: [[], ["--uninstall"]]) func `leaves the file of another program alone`(
      more: [String]
    ) throws {
      #expect(try user.shell("mkdir -p own/bin && echo mine > own/bin/lab").code == 0)
      let ended = try user.shell("lab install --prefix own \(more.joined(separator: " "))")
      #expect(ended.code == 2)
      #expect(ended.errors.contains("own/bin/lab is there, and is not this program's"))
      #expect(try found(in: "own") == ["bin/lab"])
      #expect(try user.read("own/bin/lab") == "mine\n")
    }
  }

  @Suite struct `The manual page` {
    @Test func `is what man and mandoc take without a word`() throws {
      let user = try User()
      try user.require("mandoc", package: "mandoc")
      #expect(try user.shell("lab man > lab.1").code == 0)
      let lint = try user.shell("mandoc -Tlint lab.1")
      #expect(lint.code == 0 && lint.output.isEmpty, "\(lint.output)")
      let page = try user.shell("mandoc -Tascii lab.1 | col -b").output
      for word in ["--shard I/N", "keychain-reset", "lab chaos --budget 5m --html", "EXIT STATUS"] {
        #expect(page.contains(word), "\(word)")
      }
      let help = try user.lab("--help").lines
      let begin = try #require(help.firstIndex(of: "COMMANDS"))
      let names = help[(begin + 1)...].prefix { !$0.isEmpty }.filter { !$0.hasPrefix("      ") }
        .map { $0.split(separator: " ")[0] }
      #expect(names.count > 20)
      for name in names { #expect(page.contains("\n   \(name)\n"), "\(name)") }
    }
  }
}
