import Benchmarks
import JSON
import Terminal

/// Runs that `lab bench --json` wrote.
enum BenchRunFile {
  /// - Parameters:
  ///   - path: Of the file.
  ///   - suite: Of which it has to be; `nil` for any.
  /// - Returns: What was measured.
  /// - Throws: `Failure`, 2, with the place of what is wrong.
  static func read(_ path: String, suite: String?) throws -> Measurements {
    let text = try InputFile.read(path)
    do {
      let node = try JSONReader.read(text)
      let measured = try Measurements(node)
      if let suite, measured.suite != suite, let field = node["suite"] {
        throw field.error("a run of another suite", allowed: suite)
      }
      return measured
    } catch let error as JSONError {
      throw Failure(
        .couldNotRun,
        Diagnostic(error, file: path, source: text).text.split(separator: "\n").map(String.init)
          + ["Nothing was measured or written."], isBare: true)
    }
  }
}
