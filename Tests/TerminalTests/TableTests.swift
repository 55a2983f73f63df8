import Terminal
import Testing

@Suite struct `A table` {
  private func sample() -> Table {
    var table = Table([
      Table.Column("scenario"), Table.Column("runs", isRightAligned: true), Table.Column("recipe"),
    ])
    table.add("torn-save", "12", Table.Cell("falseSignOut", .fail))
    table.add("é", "3")
    return table
  }

  @Test func `lines its columns up`() {
    #expect(
      sample().lines(width: 100) == [
        "  scenario   runs  recipe",
        "  torn-save    12  falseSignOut",
        "  é             3",
      ])
  }

  @Test func `becomes name and value lines where it does not fit`() {
    #expect(sample().lines(width: 31).count == 3)
    #expect(
      sample().lines(width: 30) == [
        "  scenario: torn-save", "  runs: 12", "  recipe: falseSignOut", "", "  scenario: é",
        "  runs: 3",
      ])
  }

  @Test func `keeps its columns when it is painted`() {
    let lines = sample().lines(width: 100) { text, _ in "<\(text)>" }
    #expect(lines[1] == "  torn-save    12  <falseSignOut>")
  }
}
