import Chaos
import Device
import Gallery
import JSON
import Phone
import Session
import Terminal
import Zoo

import enum Ports.LogicalPoint

/// `lab list`: what there is.
enum ListCommand {
  private static let subjects = [
    "faults", "scenarios", "stores", "phones", "profiles", "verdicts", "points", "settings",
    "errors", "rules", "steps", "twins", "schemas",
  ]

  static var command: Command {
    var command = Command("list", "what there is to break, to use and to see", run: run)
    command.description = ["WHAT is one of: \(subjects.joined(separator: " "))."]
    command.arguments = [Argument("WHAT", .optional, kind: "list", words: subjects)]
    command.options = [json]
    command.examples = [("lab list faults", "the catalogue, with what each fault needs")]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    guard let subject = invocation.argument("WHAT") else {
      console.result("lab list WHAT, where WHAT is one of: \(subjects.joined(separator: " "))")
      return .asExpected
    }
    let rows = try rows(of: subject)
    if invocation.has(json) {
      let entries = rows.map { row -> JSONValue in
        ["name": .text(row.name), "meaning": .text(row.meaning)]
      }
      console.result(
        JSONWriter.text(
          of: ["schema": "lab.list/1", "what": .text(subject), "entries": .list(entries)], .pretty))
      return .asExpected
    }
    let width = rows.map(\.name.count).max() ?? 0
    for row in rows {
      let lines = TextLayout.wrap(row.meaning, width: max(30, console.columnCount - width - 4))
      for (index, line) in lines.enumerated() {
        let name = index == 0 ? row.name : ""
        console.result("  \(name)\(String(repeating: " ", count: width - name.count))  \(line)")
      }
    }
    return .asExpected
  }

  private static func rows(of subject: String) throws -> [(name: String, meaning: String)] {
    switch subject {
    case "scenarios": return try Scenarios.gallery().map { ($0.name, $0.story) }
    case "stores": return StoreKind.all.map { ($0.name, $0.summary) }
    case "twins": return Twin.all.map { ($0.storeName, "\($0.flaw) Shows \($0.failure).") }
    case "phones":
      return PhoneKind.allCases.map { ($0.rawValue, $0.summary) }
    case "profiles": return PersistenceProfile.all.map { ($0.name, $0.reason) }
    case "verdicts":
      return Verdict.allCases.map { ($0.rawValue, ($0.isFailure ? "failure: " : "") + $0.meaning) }
    case "points": return LogicalPoint.allCases.map { ($0.rawValue, $0.words) }
    case "settings":
      return ScenarioSettings.keys.map {
        ($0.name, "\($0.meaning): \($0.values.joined(separator: " ")) (the first is the default)")
      }
    case "errors": return errors
    case "schemas": return try SchemaCommand.schemas
    case "steps": return ScenarioReader.stepWords
    case "rules":
      return FaultKind.allCases.map { ($0.rawValue, $0.rule) }
        + LintRule.allCases.map { ($0.rawValue, $0.summary) }
    default: return faults
    }
  }

  private static var faults: [(name: String, meaning: String)] {
    FaultKind.allCases.map { kind in
      let values = kind.parameters.map { "--\($0.rawValue)" }.joined(separator: " ")
      let words = kind.summary + (values.isEmpty ? "" : " (\(values))")
      return (kind.rawValue, words + place(of: kind))
    }
  }

  /// Where it happens and when, if that is anything but a phone and at once.
  private static func place(of kind: FaultKind) -> String {
    switch kind.group {
    case .request: "; on a server (lab serve), at the next request that fits"
    case .server: "; on a server (lab serve), at once, or at a request with --at or --path"
    case .process, .power, .call, .data, .system: kind.canHappenNow ? "" : "; needs --at"
    }
  }

  private static var errors: [(name: String, meaning: String)] {
    OperationKind.allCases.compactMap { kind in
      let reasons = LegalErrors.reasons(for: kind)
      guard !reasons.isEmpty else { return nil }
      return (
        kind.rawValue,
        reasons.map { "\($0.error.symbol) \($0.reason)" }.joined(separator: "; ")
      )
    }
  }
}
