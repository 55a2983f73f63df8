/// A story row by row, with both halves beside it; on a phone the halves become two labelled values.
struct Timeline {
  typealias Half = FindingStory.Line.Half

  struct Row {
    let number: String
    let told: [Markup]
    let key: Half
    let blob: Half
    var isFault = false
    var isFailure = false
  }

  let rows: [Row]

  /// A column of a head that has no name.
  static let gap = Markup("span", [:], [])

  var markup: Markup {
    let heads = Markup(
      "li", ["class": "heads", "aria-hidden": "true"], Self.gap,
      Markup("span", [:], "the app"), Markup("span", [:], "key half"),
      Markup("span", [:], "blob half"))
    let items = rows.indices.map { index in
      Self.item(rows[index], behind: index > 0 ? rows[index - 1] : nil)
    }
    return Markup("ol", ["class": "story"], .lines([heads] + items))
  }

  private static func item(_ row: Row, behind last: Row?) -> Markup {
    let spoken = (row.isFault ? "fault: " : "") + (row.isFailure ? "goes wrong here: " : "")
    return Markup(
      "li", ["class": row.isFailure ? "wrong" : row.isFault ? "fault" : nil],
      Markup(
        "span", ["class": "number"], Markup("span", ["aria-hidden": "true"], .text(row.number)),
        spoken.isEmpty ? .list([]) : Markup("span", ["class": "sr"], .text(spoken))),
      Markup("div", [:], row.told + peek(row, behind: last)), lane("key half", row.key),
      lane("blob half", row.blob))
  }

  private static func lane(_ name: String, _ half: Half) -> Markup {
    let isVolatile = half.value != nil && !half.isDurable
    let classes =
      [
        "lane", half.value == nil ? "absent" : isVolatile ? "volatile" : nil,
        half.isNew ? "new" : nil,
      ]
      .compactMap(\.self).joined(separator: " ")
    let label = Markup("span", ["class": "label"], .text("\(name): "))
    guard let value = half.value else {
      return Markup("span", ["class": classes], label, mark("-", "nothing"))
    }
    return Markup(
      "span", ["class": classes], label, .text("\(value) "), durability(half.isDurable))
  }

  static func durability(_ isDurable: Bool) -> Markup {
    isDurable ? mark("#", "durable") : mark("~", "volatile")
  }

  /// A mark for the eye, and its word for the ear.
  private static func mark(_ mark: String, _ word: String) -> Markup {
    Markup("span", ["role": "img", "aria-label": word, "title": word], .text(mark))
  }

  /// What both halves held before a row and behind it: how long the values are, and how their digests
  /// begin. Nothing where neither held anything.
  private static func peek(_ row: Row, behind last: Row?) -> [Markup] {
    let halves = [("key half", last?.key, row.key), ("blob half", last?.blob, row.blob)]
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
}
