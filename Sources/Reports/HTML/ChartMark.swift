/// How one series of a chart is drawn: the colour says who it is about, the shape which one it is.
package struct ChartMark: Equatable, Sendable {
  package enum Role: String, Sendable {
    /// What the chart is about.
    case first
    case other
    /// A limit: a thick line without marks.
    case bound
  }

  let role: Role
  /// Tells the series of a role apart.
  let number: Int

  package init(_ role: Role, _ number: Int = 0) {
    self.role = role
    self.number = number
  }

  private static let dashes = ["none", "5 2", "2 2", "7 2 2 2"]

  /// Everything that belongs to the series.
  func group(_ children: [Markup]) -> Markup { Markup("g", ["class": role.rawValue], children) }

  /// A line through places.
  func line(through places: [(x: Double, y: Double)], isDashed: Bool = false) -> Markup {
    let steps = places.enumerated().map { index, place in
      "\(index == 0 ? "M" : "L")\(Self.text(place.x)) \(Self.text(place.y))"
    }
    let dashes = isDashed ? "2 3" : Self.dashes[number / 6 % Self.dashes.count]
    return .empty(
      "path", ["class": "curve", "d": steps.joined(separator: " "), "stroke-dasharray": dashes])
  }

  /// A mark at a place, with what it stands for.
  func mark(at place: (x: Double, y: Double), _ meaning: String? = nil) -> Markup {
    guard role != .bound else { return .list([]) }
    let name = number % 2 == 0 ? "mark full" : "mark"
    let title = meaning.map { Markup("title", [:], .text($0)) }
    return Markup("path", ["class": name, "d": shape(at: place)], title.map { [$0] } ?? [])
  }

  private func shape(at place: (x: Double, y: Double)) -> String {
    let (x, y) = (Self.text(place.x), Self.text(place.y))
    return switch number % 6 {
    case 0, 3: "M\(x) \(y)m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z"
    case 1, 4: "M\(x) \(y)m-2.8 -2.8h5.6v5.6h-5.6z"
    default: "M\(x) \(y)m0 -3.6l3.4 6h-6.8z"
    }
  }

  /// What stands before its name in a legend.
  var sample: Markup {
    Markup(
      "svg", ["viewBox": "0 0 30 12", "aria-hidden": "true"],
      group([line(through: [(1, 6), (29, 6)]), mark(at: (15, 6))]))
  }

  /// A coordinate; a tenth of a unit is finer than any screen.
  static func text(_ value: Double) -> String {
    let rounded = (value * 10).rounded() / 10
    return rounded == rounded.rounded() ? String(Int(rounded)) : rounded.description
  }
}
