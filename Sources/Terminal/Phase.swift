/// A part of a long run that people can watch.
///
/// On a terminal it is one line that is redrawn; in a pipe it is one line each half minute and one when
/// it ends, so that a CI log is neither flooded nor silent.
package struct Phase {
  private static let barWidth = 20

  private let console: Console
  private let name: String
  private let nameWidth: Int

  /// `nameWidth` is the width of the longest name among the phases of the run.
  package init(_ name: String, nameWidth: Int = 0, on console: Console) {
    self.console = console
    self.name = name
    self.nameWidth = nameWidth
  }

  /// Shows how far it is, as a fraction of 0 to 1, and what to say: `nothing found so far`.
  package func update(_ done: Double, _ remark: String) {
    console.drawProgress(bar: line(done, remark), plain: "\(name): \(remark)")
  }

  /// Ends it: `212 of 212, done in 41s`.
  package func end(_ remark: String) {
    console.finishProgress(bar: line(1, remark), plain: "\(name): \(remark)")
  }

  private func line(_ done: Double, _ remark: String) -> String {
    let share = done.isFinite ? min(max(done, 0), 1) : 0
    let full = Int(share * Double(Self.barWidth))
    let bar =
      String(repeating: "#", count: full) + String(repeating: ".", count: Self.barWidth - full)
    let padding = String(repeating: " ", count: max(0, nameWidth - name.count))
    return "  \(name)\(padding)  [\(bar)] \(remark)"
  }
}
