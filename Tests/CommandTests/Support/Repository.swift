import Foundation
import Testing

/// Files of the repository that the tests read.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static let schemas = "\(root)/Documentation/schemas"

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

  /// What was printed is JSON of these schemas, and each of them is there.
  func expectValid(_ names: Set<String>, in files: String) throws {
    let ended = try check("'\(Repository.schemas)'", files)
    #expect(ended.code == 0, "\(ended.errors)")
    #expect(Set(ended.lines) == Set(names.map { "ok lab.\($0)/1" }), "\(ended.output)")
  }

  /// The value of an XPath expression in a valid report of JUnit's.
  func xpath(_ expression: String, in report: String = "lab.xml") throws -> String {
    let schema = "\(Repository.root)/Tests/Documents/junit.xsd"
    let valid = try shell("xmllint --noout --schema '\(schema)' \(report)")
    #expect(valid.code == 0, "\(valid.errors)")
    return try shell("xmllint --xpath 'string(\(expression))' \(report)").lines.first ?? ""
  }
}
