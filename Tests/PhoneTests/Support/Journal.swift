import Ports

/// What happened, in order: calls on files, requests to the service, logical points.
final class Journal {
  private(set) var lines: [String] = []

  func note(_ line: String) {
    lines.append(line)
  }

  /// Hands over what was noted since the last time.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

final class NotedPoints: TracePoint {
  private let journal: Journal

  init(_ journal: Journal) {
    self.journal = journal
  }

  func reach(_ point: LogicalPoint) {
    journal.note("point \(point.rawValue)")
  }
}

final class SilentConsole: Console {
  private(set) var warnings: [String] = []
  private(set) var errors: [String] = []

  func warn(_ text: String) {
    warnings.append(text)
  }

  func error(_ text: String) {
    errors.append(text)
  }
}
