import Chaos
import Device
import JSON
import Ports
import Terminal

/// A crash map on a terminal: a block for each step, the operations as columns, a letter in each cell.
///
/// A step that does not fit has its equal neighbours folded, and goes on in further blocks.
struct CrashMapText {
  private let map: CrashMap

  init(_ map: CrashMap) { self.map = map }

  private struct Column {
    let head: String
    let marks: [CrashMapMark?]

    var width: Int { max(head.count, 1) }
  }

  func lines(for console: Terminal.Console) -> [String] {
    let steps = CrashMapStep.all(of: map)
    guard !steps.isEmpty else { return [] }
    return steps.flatMap { lines(of: $0, console) } + legend(steps, console)
  }

  private func lines(of step: CrashMapStep, _ console: Terminal.Console) -> [String] {
    let label = ([step.title] + step.kinds.map(\.name)).map(\.count).max() ?? 0
    let room = console.columnCount - label - 4
    var columns = step.places.flatMap { Self.columns($0, step.kinds) }
    if Self.width(columns) > room { columns = step.folded.flatMap { Self.columns($0, step.kinds) } }
    var lines: [String] = []
    while !columns.isEmpty {
      var count = 1
      while count < columns.count, Self.width(columns[...count]) <= room { count += 1 }
      let part = columns.prefix(count)
      columns.removeFirst(count)
      lines.append(Self.line(step.title, label, part.map { ($0.head, $0.head) }, part))
      for (row, kind) in step.kinds.enumerated() {
        let cells = part.map { column -> (plain: String, shown: String) in
          guard let mark = column.marks[row] else { return ("|", "|") }
          return (mark.letter, mark.tone.map { console.painted(mark.letter, $0) } ?? mark.letter)
        }
        lines.append(Self.line(kind.name, label, cells, part))
      }
    }
    return lines
  }

  /// The points before a run, and the run.
  private static func columns(_ run: CrashMapRun, _ kinds: [DisturbanceKind]) -> [Column] {
    let points = run.points.map(\.rawValue).joined(separator: " ")
    let before = points.isEmpty ? [] : [Column(head: points, marks: kinds.map { _ in nil })]
    return before + [Column(head: head(run), marks: kinds.map(run.mark))]
  }

  private static func head(_ run: CrashMapRun) -> String {
    let spot = run.places[0].spot
    let count = max(run.places.count, run.places[0].momentCount)
    if count > 1 { return "x\(count)" }
    guard spot.operation != nil else { return "end" }
    return spot.kind.flatMap { named.contains($0) ? $0.rawValue : nil } ?? "."
  }

  /// What makes durable what others did.
  private static let named: Set<OperationKind> = [.sync, .syncDirectory, .rename]

  private static func width(_ columns: some Collection<Column>) -> Int {
    columns.reduce(columns.count - 1) { $0 + $1.width }
  }

  private static func line(
    _ title: String, _ label: Int, _ cells: [(plain: String, shown: String)],
    _ columns: some Collection<Column>
  ) -> String {
    let texts = zip(cells, columns).map { cell, column in
      cell.shown + String(repeating: " ", count: column.width - cell.plain.count)
    }
    let indent = String(repeating: " ", count: label - title.count + 2)
    let line = "  \(title)\(indent)" + texts.joined(separator: " ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }

  // MARK: - Legend

  private func legend(_ steps: [CrashMapStep], _ console: Terminal.Console) -> [String] {
    let marks = steps.flatMap { step in
      step.places.flatMap { place in step.kinds.map(place.mark) }
    }
    let shown = CrashMapMark.legend(impossible: CrashMapMark.impossibleWords(map))
      .filter { marks.contains($0.mark) }
    let points = LogicalPoint.allCases.filter { point in
      map.places.contains { $0.spot.points.contains(point) }
    }
    let width = console.columnCount - 2
    let kinds = map.kinds.compactMap { kind in kind.meaning.map { "\(kind.name): \($0)" } }
    return [
      "a column is one operation, named if it makes durable (x12: twelve in a row that are alike), and "
        + "a letter what the app showed when it was disturbed just after it, or by the refusal of it:",
      Self.list(shown.map { "\($0.mark.letter) \($0.words)" } + kinds, width),
      Self.list(points.map(\.nameAndWords), width),
    ].filter { !$0.isEmpty }.flatMap { TextLayout.wrap($0, width: width) }
      .map { "  " + $0.replacing(Self.firmBlank, with: " ") }
  }

  /// Inside a part that fits no line ends, so that a mark stays with its words.
  private static func list(_ parts: [String], _ width: Int) -> String {
    parts.map { $0.count < width ? $0.replacing(" ", with: firmBlank) : $0 }
      .joined(separator: ", ")
  }

  private static let firmBlank = "\u{A0}"
}
