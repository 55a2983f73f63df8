import Chaos
import Phone
import Ports

// How it went: row by row, and operation by operation.
extension FindingCard {
  var timeline: Markup {
    let heads = Markup(
      "li", ["class": "heads", "aria-hidden": "true"], Self.gap,
      Markup("span", [:], "the app"), Markup("span", [:], "key half"),
      Markup("span", [:], "blob half"))
    let lines = story.lines
    let rows = lines.indices.map { index in
      row(lines[index], behind: index > 0 ? lines[index - 1] : nil)
    }
    return Markup("ol", ["class": "story"], .lines([heads] + rows))
  }

  private func row(_ line: FindingStory.Line, behind last: FindingStory.Line?) -> Markup {
    let name = line.isFailure ? "wrong" : line.isFault ? "fault" : nil
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
    told += peek(line, behind: last)
    let spoken = Self.spoken(line)
    return Markup(
      "li", ["class": name],
      Markup(
        "span", ["class": "number"], Markup("span", ["aria-hidden": "true"], .text(line.number)),
        spoken.isEmpty ? .list([]) : Markup("span", ["class": "sr"], .text(spoken))),
      Markup("div", [:], told), lane("key half", line.key), lane("blob half", line.blob))
  }

  /// A column of a head that has no name.
  private static let gap = Markup("span", [:], [])

  private static func spoken(_ line: FindingStory.Line) -> String {
    (line.isFault ? "fault: " : "") + (line.isFailure ? "goes wrong here: " : "")
  }

  private func lane(_ name: String, _ half: FindingStory.Line.Half) -> Markup {
    let isVolatile = half.value != nil && !half.isDurable
    let classes =
      [
        "lane", half.value == nil ? "absent" : isVolatile ? "volatile" : nil,
        half.isNew ? "new" : nil,
      ]
      .compactMap(\.self).joined(separator: " ")
    let label = Markup("span", ["class": "label"], .text("\(name): "))
    guard let value = half.value else {
      return Markup("span", ["class": classes], label, Self.mark("-", "nothing"))
    }
    return Markup(
      "span", ["class": classes], label, .text("\(value) "),
      Self.mark(half.isDurable ? "#" : "~", half.isDurable ? "durable" : "volatile"))
  }

  /// A mark for the eye, and its word for the ear.
  private static func mark(_ mark: String, _ word: String) -> Markup {
    .list([
      Markup("span", ["aria-hidden": "true", "title": word], .text(mark)),
      Markup("span", ["class": "sr"], .text(word)),
    ])
  }

  /// What both halves held before a row and behind it: how long the values are, and how their digests
  /// begin. Nothing where neither held anything.
  private func peek(_ line: FindingStory.Line, behind last: FindingStory.Line?) -> [Markup] {
    let halves = [("key half", last?.key, line.key), ("blob half", last?.blob, line.blob)]
    guard halves.contains(where: { $1?.value != nil || $2.value != nil }) else { return [] }
    let items = halves.map { name, before, after -> Markup in
      let (old, new) = ((before ?? .nothing).inDetail, after.inDetail)
      let words = old == new ? ["unchanged: \(new)"] : ["before: \(old)", "after: \(new)"]
      return .list(
        [Markup("dt", [:], .text(name))] + words.map { Markup("dd", [:], .text($0)) })
    }
    return [
      Markup(
        "details", ["class": "peek"], Markup("summary", [:], "Both halves, before and after"),
        Markup("dl", [:], items))
    ]
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
      "li", ["class": "aside", "aria-hidden": "true"], Self.gap, Self.gap,
      Markup("span", [:], "key half"), Markup("span", [:], "blob half"))
    var items = [heads] + fold(window.before)
    var title = ""
    for (index, one) in zip(window.shown.indices, window.shown) {
      let line = story.lines.first { $0.rows.contains(one.row) }
      let next = line.map { "\($0.number)  \($0.text)" } ?? ""
      if next != title { items.append(Markup("li", ["class": "title"], .text(next))) }
      title = next
      items.append(Self.row(index, one))
    }
    items += fold(window.behind)
    let summary =
      window.shown.count == count
      ? "All \(count) operations" : "\(window.shown.count) of \(count) operations, near the fault"
    return [
      Markup(
        "details", ["id": "\(id)-operations"],
        Markup("summary", [:], .text("\(summary), with what was durable after each")),
        Markup("ol", ["class": "operations"], .lines(items)))
    ]
  }

  private static func row(_ index: Int, _ one: StoryOperation) -> Markup {
    let names = [
      one.half?.rawValue, one.point == nil ? nil : "point", one.fault == nil ? nil : "hit",
    ]
    let classes = names.compactMap(\.self).joined(separator: " ")
    let fault = one.fault.map { "   X \($0)" } ?? ""
    func state(_ name: String, _ isDurable: Bool) -> Markup {
      Markup(
        "span", ["class": "state"], Markup("span", ["class": "sr"], .text("\(name) half: ")),
        mark(isDurable ? "#" : "~", isDurable ? "durable" : "volatile"))
    }
    return Markup(
      "li", [:], Markup("span", ["class": "aside"], .text("\(index + 1)")),
      Markup("span", ["class": classes.isEmpty ? nil : classes], .text(one.words + fault)),
      state("key", one.keyIsDurable), state("blob", one.blobIsDurable))
  }
}
