/// A report as JUnit XML, in the shape that Jenkins, GitLab, GitHub actions and others read.
///
/// It holds no clock time, so that two equal runs give equal files.
package enum JUnitDocument {
  package static func text(of report: CheckReport) -> String {
    let all = report.suites.flatMap(\.checks)
    var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
    // The schemas of some readers know no count of skipped ones here.
    let sums = counts(all).dropLast()
    lines.append("<testsuites\(attributes([("name", report.command)] + sums))>")
    for suite in report.suites {
      lines.append("  <testsuite\(attributes([("name", suite.name)] + counts(suite.checks)))>")
      for check in suite.checks { lines += element(check) }
      lines.append("  </testsuite>")
    }
    return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
  }

  private static func counts(_ checks: [CheckReport.Check]) -> [(String, String)] {
    let failures = checks.count { $0.problem?.kind == .failure }
    let errors = checks.count { $0.problem?.kind == .error }
    let skipped = checks.count { $0.problem?.kind == .skipped }
    return [
      ("tests", "\(checks.count)"), ("failures", "\(failures)"), ("errors", "\(errors)"),
      ("skipped", "\(skipped)"),
    ]
  }

  private static func element(_ check: CheckReport.Check) -> [String] {
    let head = "    <testcase\(attributes([("classname", check.group), ("name", check.name)]))"
    var inner: [String] = []
    if let problem = check.problem {
      let name = problem.kind.rawValue
      let values = attributes([("type", problem.type), ("message", problem.message)])
      let text = escaped(problem.text.joined(separator: "\n"))
      inner.append("      <\(name)\(values)>\(text)</\(name)>")
    }
    if !check.output.isEmpty {
      inner.append(
        "      <system-out>\(escaped(check.output.joined(separator: "\n")))</system-out>")
    }
    return inner.isEmpty ? [head + "/>"] : [head + ">"] + inner + ["    </testcase>"]
  }

  private static func attributes(_ values: [(name: String, value: String)]) -> String {
    values.map { #" \#($0.name)="\#(escaped($0.value))""# }.joined()
  }

  /// XML has no way to write most control characters, so they become a mark.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
