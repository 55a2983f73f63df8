package import Chaos
import JSON
import Phone
package import Terminal

/// What `lab lint` shows: the rules with their counts, then the windows.
package struct LintText {
  private let report: LintReport
  private let phone: String
  private let since: Int
  /// What was looked at, where it is not the log of one phone.
  private var scope: String?

  /// - Parameters:
  ///   - report: What was found.
  ///   - phone: The name of the phone.
  ///   - since: The operation after which it was looked at.
  package init(_ report: LintReport, on phone: String, since: Int) {
    self.report = report
    self.phone = phone
    self.since = since
  }

  /// What a store does by itself in memory.
  package init(_ found: OrderLint, of plan: ExplorationPlan) {
    self.init(found.report, on: "\(plan.store) on \(plan.phone.rawValue)", since: 0)
    let orders =
      "\(Counted.words(found.orderCount, "order")) of "
      + "\(Counted.words(plan.writerCount, "writer")), \(Counted.words(plan.readerCount, "reader"))"
    scope = orders + (found.isExhaustive ? ", all there are" : ", NOT all there are")
  }

  /// The lines for stdout.
  package func lines(for console: Console) -> [String] {
    if report.operations == nil, report.windows.isEmpty {
      let when = since > 0 ? "after operation \(since)" : "yet"
      return ["nothing has happened on \(phone) \(when).  do: lab app --store recipe sign-in"]
    }
    var lines = ["\(phone): \(headline)"]
    var table = Table([Table.Column("rule"), Table.Column("windows", isRightAligned: true)])
    for rule in LintRule.allCases {
      let count = report.count(of: rule)
      table.add(Table.Cell(rule.rawValue), Table.Cell("\(count)", count > 0 ? .fail : nil))
    }
    lines += table.lines(for: console)
    for window in report.windows { lines += [""] + Self.lines(of: window, console) }
    if !report.notJudged.isEmpty {
      lines.append("")
      lines += report.notJudged.flatMap { Self.wrapped("not judged: \($0)", console, indent: 0) }
    }
    return lines
  }

  private var headline: String {
    let windows = Self.many(report.windows.reduce(0) { $0 + $1.count }, "window")
    guard let operations = report.operations else {
      return "\(windows) in what is stored now, nothing after operation \(since)"
    }
    if let scope { return "\(windows) in \(scope)" }
    return "\(windows) in operations \(operations.lowerBound) to \(operations.upperBound), "
      + Self.many(report.saveCount, "acknowledged save")
  }

  private static func lines(of window: LintWindow, _ console: Console) -> [String] {
    let times = window.count > 1 ? ", \(window.count) times; the first:" : ""
    let rule = window.rule.rawValue
    let room = console.columnCount - rule.count - 2 - times.count
    var lines = ["\(rule)  \(short(window.place, room))\(times)"]
    let detail = [span(window), window.detail].compactMap(\.self).joined(separator: ": ")
    lines += wrapped(detail, console)
    lines += wrapped("leaves: \(window.leaves)", console)
    if let command = window.command { lines.append("  show:   \(command)") }
    return lines
  }

  /// A long path by its last two names; `--json` has it whole.
  private static func short(_ place: String, _ room: Int) -> String {
    let names = place.split(separator: "/")
    guard place.count > room, names.count > 2 else { return place }
    return "\(names[0])…/\(names.suffix(2).joined(separator: "/"))"
  }

  /// From when to when.
  private static func span(_ window: LintWindow) -> String? {
    guard let first = window.first else { return nil }
    guard let last = window.last else { return "operation \(first) to now" }
    let time = window.milliseconds.map { ", \($0) ms" } ?? ""
    return "operation \(first) to \(last)\(time)"
  }

  private static func wrapped(
    _ text: String, _ console: Console, indent: Int = 2
  ) -> [String] {
    TextLayout.paragraph(text, width: console.columnCount, indent: indent)
  }

  private static func many(_ count: Int, _ word: String) -> String {
    count == 0 ? "no \(word)" : Counted.words(count, word)
  }
}
