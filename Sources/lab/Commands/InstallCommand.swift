import JSON
import Linux
import Terminal

/// `lab install`: the programs, their manual page and completions into a prefix.
enum InstallCommand {
  private static let prefix = Option(
    "prefix", .text("FOLDER"), "where to; default /usr/local")
  private static let uninstall = Flag("uninstall", "remove from there what an install puts there")

  static var command: Command {
    var command = Command("install", "copy the program into a prefix, with its man page", run: run)
    command.description = [
      "Puts lab and lab-app into FOLDER/bin, the manual page into FOLDER/share/man, and completions "
        + "for bash, zsh and fish where these shells look for them. Files are replaced as wholes, so "
        + "a lab that runs meanwhile goes on; on a full disk all stays as it was.",
      "Nothing else is written: no configuration, no cache. The C libraries (fuse3, sqlite3, openssl, "
        + "libevent) stay shared ones of the system; Documentation/CI.md says why.",
    ]
    command.options = [prefix, uninstall]
    command.examples = [
      ("sudo ./lab install", "for everybody on this machine"),
      ("./lab install --prefix ~/.local", "for you"),
      ("lab install --prefix ~/.local --uninstall", "and away again"),
    ]
    return command
  }

  private struct Item {
    /// Below the prefix.
    let path: String
    let permissions: UInt32
    let content: () throws -> [UInt8]
  }

  private static var items: [Item] {
    let program = Lab.program
    let texts =
      [("share/man/man1/\(program.name).1", ManPage.text(of: program, date: Lab.date))]
      + Shell.allCases.map { ($0.path(of: program), $0.completions(of: program)) }
    return ["lab-app", "lab"].map { name in
      Item(path: "bin/\(name)", permissions: 0o755) { try Files.read(try self.program(name)) }
    } + texts.map { path, text in Item(path: path, permissions: 0o644) { Array(text.utf8) } }
  }

  /// A program beside this one, or this one.
  private static func program(_ name: String) throws -> String {
    let own = try Files.currentExecutable()
    let folder = own.split(separator: "/").dropLast().joined(separator: "/")
    let path = name == "lab" ? own : "/\(folder)/\(name)"
    guard Files.exists(path) else {
      throw Failure.couldNotRun(
        "\(name) is not beside lab", do: "build the lab again")
    }
    return path
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let given = invocation.value(prefix) ?? "/usr/local"
    let folder = given.count > 1 && given.hasSuffix("/") ? String(given.dropLast()) : given
    if invocation.has(uninstall) {
      try remove(from: folder, console)
    } else {
      try install(into: folder, console)
    }
    return .asExpected
  }

  /// Each file is written beside its place first; only when all are there the places change.
  private static func install(into prefix: String, _ console: Console) throws {
    let items = items
    try checkWritable(items, prefix)
    try checkOwn(items.map { "\(prefix)/\($0.path)" }, "nothing was installed")
    var drafts: [(draft: String, path: String)] = []
    do {
      for item in items {
        let path = "\(prefix)/\(item.path)"
        try Files.makeDirectories(Self.folder(of: path))
        drafts.append(("\(path).new", path))
        try Files.write("\(path).new", try item.content(), permissions: item.permissions)
      }
    } catch let error as SystemError {
      for (draft, _) in drafts where Files.exists(draft) { try Files.remove(draft) }
      throw Failure.couldNotRun(
        "\(error); nothing was installed", do: "lab install --prefix ~/.local")
    }
    for (draft, path) in drafts { try Files.rename(draft, to: path) }
    for item in items { console.result("  \(prefix)/\(item.path)") }
    console.result("installed: \(Counted.words(items.count, "file"))")
    let paths = (Files.environment("PATH") ?? "").split(separator: ":").map(String.init)
    if !paths.contains("\(prefix)/bin") {
      console.note("note: \(prefix)/bin is not in PATH;  do: export PATH=\"\(prefix)/bin:$PATH\"")
    }
    console.note("next: lab doctor")
  }

  private static func checkWritable(_ items: [Item], _ prefix: String) throws {
    for item in items {
      let folder = folder(of: "\(prefix)/\(item.path)")
      guard !Files.canWrite(into: folder) else { continue }
      throw Failure.couldNotRun(
        "\(folder) is not writable; nothing was installed",
        do: "lab install --prefix ~/.local   (or: sudo lab install --prefix \(prefix))")
    }
  }

  /// Refuses to touch a file of this name that is another program's.
  private static func checkOwn(_ paths: [String], _ outcome: String) throws {
    for path in paths where Files.exists(path) {
      let bytes = try Files.read(path)
      let isProgram = bytes.starts(with: Array("\u{7F}ELF".utf8))
      let isOwn =
        path.contains("/bin/")
        ? isProgram : String(decoding: bytes.prefix(200), as: UTF8.self).contains("lab")
      guard isOwn else {
        throw Failure.couldNotRun(
          "\(path) is there, and is not this program's; \(outcome)", do: "name another --prefix")
      }
    }
  }

  private static func remove(from prefix: String, _ console: Console) throws {
    let there = items.map { "\(prefix)/\($0.path)" }.filter(Files.exists)
    for path in there {
      guard Files.canWrite(into: folder(of: path)) else {
        throw Failure.couldNotRun(
          "\(folder(of: path)) is not writable; nothing was removed",
          do: "sudo lab install --prefix \(prefix) --uninstall")
      }
    }
    try checkOwn(there, "nothing was removed")
    for path in there {
      try Files.remove(path)
      console.result("  \(path)")
    }
    console.result(
      there.isEmpty
        ? "nothing of lab is in \(prefix)" : "removed: \(Counted.words(there.count, "file"))")
  }

  private static func folder(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
