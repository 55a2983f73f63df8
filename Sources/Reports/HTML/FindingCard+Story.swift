import Chaos
import Phone
import Ports

// How it went: row by row, and operation by operation.
extension FindingCard {
  var timeline: Markup {
    Timeline(
      rows: story.lines.map { line in
        Timeline.Row(
          number: line.number, told: told(line), key: line.key, blob: line.blob,
          isFault: line.isFault, isFailure: line.isFailure)
      }
    ).markup
  }

  private func told(_ line: FindingStory.Line) -> [Markup] {
    let points = story.operations(of: line).compactMap(\.point).map {
      "\($0.rawValue) (\($0.words))"
    }
    let hit = story.operations(of: line).first { $0.fault != nil }
    var told: [Markup] = [.text(line.text)]
    if line.isFault, !points.isEmpty {
      told.append(
        Markup("span", ["class": "reached"], .text("reached: \(points.joined(separator: ", "))")))
    }
    if let hit, let fault = hit.fault, hit.point == nil {
      told.append(Markup("span", ["class": "reached"], .text("\(fault) fell on: \(hit.words)")))
    }
    if let sees = line.sees {
      told.append(Markup("span", ["class": "sees"], .text("the app shows: \(sees)")))
    }
    return told
  }

  // MARK: - Operation by operation

  func operations(id: String) -> [Markup] {
    let count = story.run.operations.count
    guard count > 0 else { return [] }
    let window = story.window
    func fold(_ count: Int) -> [Markup] {
      count == 0 ? [] : [Markup("li", ["class": "aside"], .text("\(count) operations, not shown"))]
    }
    let heads = Markup(
      "li", ["class": "aside", "aria-hidden": "true"], Timeline.gap, Timeline.gap,
      Markup("span", [:], "key half"), Markup("span", [:], "blob half"))
    var items = [heads] + fold(window.before)
    var title = ""
    var before: StoryOperation?
    for (index, one) in zip(window.shown.indices, window.shown) {
      let line = story.lines.first { $0.rows.contains(one.row) }
      let next = line.map { "\($0.number)  \($0.text)" } ?? ""
      if next != title { items.append(Markup("li", ["class": "title"], .text(next))) }
      title = next
      items.append(Self.row(index, one, behind: before))
      before = one
    }
    items += fold(window.behind)
    let summary =
      window.shown.count == count
      ? "All \(count) operations" : "\(window.shown.count) of \(count) operations, near the fault"
    return [
      Markup(
        "details", ["id": "\(id)-operations"],
        Markup(
          "summary", [:],
          .text("\(summary); # and ~ stand where a half became durable or volatile")),
        Markup("ol", ["class": "operations"], .lines(items)))
    ]
  }

  /// A half is marked where it has changed.
  private static func row(
    _ index: Int, _ one: StoryOperation, behind last: StoryOperation?
  ) -> Markup {
    let names = [
      one.half?.rawValue, one.point == nil ? nil : "point", one.fault == nil ? nil : "hit",
    ]
    let classes = names.compactMap(\.self).joined(separator: " ")
    let fault = one.fault.map { "   X \($0)" } ?? ""
    func state(_ half: Half, _ durability: KeyPath<StoryOperation, Bool>) -> Markup? {
      let isDurable = one[keyPath: durability]
      if let last, last[keyPath: durability] == isDurable { return nil }
      return Markup(
        "span", ["class": "state"],
        Markup("span", ["class": "label"], .text("\(half.rawValue) half: ")),
        Timeline.durability(isDurable))
    }
    let (key, blob) = (state(.key, \.keyIsDurable), state(.blob, \.blobIsDurable))
    let states = [key ?? (blob == nil ? nil : Timeline.gap), blob].compactMap(\.self)
    return Markup(
      "li", [:],
      [
        Markup("span", ["class": "aside"], .text("\(index + 1)")),
        Markup("span", ["class": classes.isEmpty ? nil : classes], .text(one.words + fault)),
      ] + states)
  }
}
