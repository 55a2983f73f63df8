import Foundation
import Testing

/// Files of the repository that the tests read.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }
}

extension User {
  /// Fails with what to do when a program is not there; no test is passed over.
  func require(_ program: String, package: String) throws {
    try #require(
      shell("command -v \(program)").code == 0,
      "\(program) is missing.  do: apt-get install -y --no-install-recommends \(package)")
  }

  /// Checks documents with `Tests/Documents/check.py`.
  func check(_ kind: String, _ files: String) throws -> Ended {
    try #require(
      shell("'\(Python.path)' -c 'import jsonschema, yaml'").code == 0,
      """
      \(Python.path) has no jsonschema and yaml. Install Tests/requirements.txt into a virtual \
      environment, and name its Python in LAB_PYTHON.
      """)
    return try shell(
      "'\(Python.path)' -B '\(Repository.root)/Tests/Documents/check.py' \(kind) \(files)")
  }
}
