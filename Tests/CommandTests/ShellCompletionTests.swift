import Foundation
import Testing

extension Commands.Phones {
  /// What the shells themselves make of the files that `lab completions` writes.
  @Suite struct `Completions` {
    private let user: User

    init() throws {
      user = try User()
      for shell in ["bash", "zsh", "fish"] {
        try user.require(shell, package: shell)
        #expect(try user.shell("lab completions \(shell) > lab.\(shell)").code == 0)
      }
    }

    /// The words that bash offers for the last of these, after each other.
    private func bash(_ words: String) throws -> String {
      let ended = try user.shell(
        """
        bash -c 'source lab.bash; complete -p lab >/dev/null || exit 9
        COMP_WORDS=(lab \(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _lab
        echo "${COMPREPLY[*]}"'
        """)
      #expect(ended.code == 0 && ended.errors.isEmpty, "\(ended.errors)")
      return ended.lines.first ?? ""
    }

    private func fish(_ line: String) throws -> [String] {
      let ended = try user.shell(
        "fish --no-config -c 'source lab.fish; complete -C \"lab \(line)\"'")
      #expect(ended.code == 0 && ended.errors.isEmpty, "\(ended.errors)")
      return ended.lines.map { String($0.split(separator: "\t")[0]) }
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `are read by their shell`(shell: String) throws {
      let ended = try user.shell("\(shell) -n lab.\(shell)")
      #expect(ended.code == 0 && ended.errors.isEmpty, "\(ended.errors)")
    }

    @Test(arguments: [
      ("cha", "chaos"), ("inject key", "keychain-reset keystore-loss"),
      (#"run --phone """#, "ios android"), (#"run --phone = i"#, "ios"),
      ("compare --faults kill,keyc", "kill,keychain-reset"), ("run torn-s", "torn-save"),
      ("bench cr", "crypto"), ("list fau", "faults"), ("--color never run --st", "--store"),
      (#"run --store recipe --store """#, "recipe healing keychain-only durable"),
      ("help inst", "install"), (#"list faults """#, ""), (#"run --seed """#, ""),
      ("schema lab.run", "lab.run/1"), (#"replay f.json --as """#, "maestro simctl adb"),
    ]) func `in bash offer the words of closed lists`(typed: String, offered: String) throws {
      #expect(try bash(typed) == offered)
    }

    @Test func `in bash offer files and folders where those are taken`() throws {
      try user.write("", to: "mine.json5")
      #expect(try user.shell("mkdir 'my folder'").code == 0)
      #expect(try bash("run min") == "mine.json5")
      #expect(try bash("explore --out m") == "my folder")
      #expect(try bash("with kill -- bas").contains("bash"))
    }

    @Test func `in fish offer the same`() throws {
      #expect(try fish("inject key") == ["keychain-reset", "keystore-loss"])
      #expect(Set(try fish("run --phone ")) == ["ios", "android"])
      #expect(try fish("compare --faults kill,keyc") == ["kill,keychain-reset"])
      #expect(try fish("--color never benc") == ["bench"])
      #expect(try fish("run torn-s") == ["torn-save"])
      #expect(!(try fish("inject ")).contains("torn-save"))
    }

    /// A terminal is played to zsh, for its completion knows nothing else.
    @Test func `in zsh complete a word at a terminal`() throws {
      #expect(try user.shell("mkdir functions && mv lab.zsh functions/_lab").code == 0)
      try user.write(
        """
        zmodload zsh/zpty
        zpty z zsh -f -i
        zpty -w z "PS1=; fpath=($PWD/functions \\$fpath); autoload -Uz compinit; compinit -u -D"
        zpty -w z 'unsetopt beep; bindkey "^I" complete-word; echo RE""ADY'
        zpty -r z text $'*READY\\r*'
        zpty -w -n z $': lab; lab bench cry\\t -h; lab inject keyc\\t -h; lab run --tier=mou\\t -h; exit\\n'
        while zpty -r z text; do print -r -- "$text"; done
        """, to: "type.zsh")
      let ended = try user.shell("timeout 30 zsh -f type.zsh")
      for word in ["lab bench crypto", "lab inject keychain-reset", "lab run --tier=mounted"] {
        #expect(ended.output.contains(word), "\(ended.output)")
      }
    }

    @Test func `of an unknown shell are refused`() throws {
      let ended = try user.lab("completions", "fisch")
      #expect(ended.code == 64)
      #expect(ended.errors.contains("no shell 'fisch'; nearest: fish"))
    }
  }
}
