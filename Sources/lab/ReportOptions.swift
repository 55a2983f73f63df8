import Glibc
import Linux
import Reports
import Terminal

/// What a command leaves beside its result, for CI systems and as a page.
enum ReportOptions {
  static let junit = Option("junit", .text("FILE"), "also writes a report in JUnit's XML")
  static let html = Option("html", .text("FILE"), "also writes what was found as one page")

  static let environment: [(name: String, meaning: String)] = [
    (
      "GITHUB_ACTIONS",
      "when 'true', an annotation on stderr for each cause, and the findings in the job's summary"
    )
  ]

  /// Refuses a place that cannot be written before any work is done.
  ///
  /// - Throws: `Failure`, 2.
  static func check(_ invocation: Invocation) throws { try check([html, junit], invocation) }

  /// The same for a command with files of its own.
  ///
  /// - Parameters:
  ///   - options: Those that name files.
  ///   - invocation: What was asked for.
  /// - Throws: `Failure`, 2; 64 when two of them name one file.
  static func check(_ options: [Option<String>], _ invocation: Invocation) throws {
    let files = options.compactMap { option in
      invocation.value(option).map { (name: option.name, path: $0) }
    }
    for (name, path) in files where !Files.canWrite(to: path) {
      throw Failure.couldNotRun("--\(name) \(path) cannot be written", do: "name another file")
    }
    guard files.count == 2, try resolved(files[0].path) == resolved(files[1].path) else { return }
    throw Failure.wrongUsage(
      "--\(files[0].name) and --\(files[1].name) name one file",
      help: "lab \(invocation.command) --help")
  }

  /// Refuses a folder for replays that cannot be written before any work is done.
  ///
  /// - Throws: `Failure`, 2.
  static func check(folder: String) throws {
    if Files.exists(folder), try !Files.status(folder).isDirectory {
      throw Failure.couldNotRun("--out \(folder) is not a folder", do: "name another")
    }
    guard canWrite(into: folder) else {
      throw Failure.couldNotRun("--out \(folder) cannot be written", do: "name another folder")
    }
  }

  /// Tries it: what root may do by the permissions, a file system may still refuse.
  private static func canWrite(into folder: String) -> Bool {
    guard !Files.exists(folder) else { return Files.canWrite(to: "\(folder)/.lab-trial") }
    do {
      try Files.makeDirectory(folder, permissions: 0o755)
      Files.removeIfEmpty(folder)
      return true
    } catch {
      return false
    }
  }

  /// Where a file is, or will be.
  private static func resolved(_ path: String) throws -> String {
    guard !Files.exists(path) else { return try Files.absolutePath(path) }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    let isAtRoot = parts.count == 2 && folder.isEmpty
    return try Files.absolutePath(isAtRoot ? "/" : folder.isEmpty ? "." : folder)
      + "/\(parts.last ?? "")"
  }

  /// Pages that are larger are slow to open.
  private static let pageBytesMax = 5 << 20

  /// Writes the page that was asked for; the result was shown before, so that nothing of it is lost.
  ///
  /// - Throws: `Failure`, 2, when the file cannot be written.
  static func publish(
    page: () throws -> String, _ invocation: Invocation, _ console: Console
  ) throws {
    guard let path = invocation.value(html) else { return }
    let bytes = Array(try page().utf8)
    try Files.write(path, bytes, permissions: 0o644)
    console.note("written: \(path)")
    if bytes.count > pageBytesMax {
      console.note("\(path) has \(bytes.count >> 20) MiB and opens slowly; name fewer scenarios")
    }
  }

  /// Writes what was asked for; the result was shown before, so that nothing of it is lost.
  ///
  /// - Throws: `Failure`, 2, when a file cannot be written.
  static func publish(
    _ report: @autoclosure () -> CheckReport, _ invocation: Invocation, _ console: Console
  ) throws {
    let isOnGitHub = Files.environment("GITHUB_ACTIONS") == "true"
    guard isOnGitHub || invocation.value(junit) != nil else { return }
    let report = report()
    if let path = invocation.value(junit) {
      try Files.write(path, Array(JUnitDocument.text(of: report).utf8), permissions: 0o644)
      console.note("written: \(path)")
    }
    guard isOnGitHub else { return }
    for line in GitHubNotes.lines(of: report) { console.error(line) }
    guard let path = Files.environment("GITHUB_STEP_SUMMARY"), !path.isEmpty else { return }
    try Descriptor.open(path, O_WRONLY | O_APPEND | O_CREAT, permissions: 0o644)
      .write(Array(GitHubNotes.summary(of: report).utf8))
  }
}
