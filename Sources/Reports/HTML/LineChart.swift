/// Curves of a cost or a speed over a size, both on logarithmic axes, as inline SVG.
///
/// What it shows stands in a table as well; the chart shows how the numbers lie to one another.
package struct LineChart {
  package struct Series {
    package let name: String
    package let mark: ChartMark
    package var points: [(x: Double, y: Double)]
    /// A curve that is fitted to the points, drawn dotted beside them.
    package var fit: [(x: Double, y: Double)] = []

    package init(_ name: String, _ mark: ChartMark, _ points: [(x: Double, y: Double)]) {
      self.name = name
      self.mark = mark
      self.points = points
    }
  }

  package let title: String
  /// What lies to the right and up: `size of a message`, `GB/s`.
  package let axes: (x: String, y: String)
  package var series: [Series]
  /// How values are written at the axes.
  package let words: (x: (Double) -> String, y: (Double) -> String)

  package init(
    _ title: String, axes: (x: String, y: String), _ series: [Series],
    words: (x: (Double) -> String, y: (Double) -> String)
  ) {
    self.title = title
    self.axes = axes
    self.series = series
    self.words = words
  }

  private static let size = (width: 360.0, height: 260.0)
  private static let margin = (left: 52.0, right: 14.0, top: 18.0, bottom: 32.0)

  /// A figure with its caption and its legend.
  package var markup: Markup {
    let points = series.flatMap { $0.points + $0.fit }
    let places = Set(series.flatMap(\.points).map(\.x)).sorted()
    let x = LogAxis(
      points.map(\.x), from: Self.margin.left, to: Self.size.width - Self.margin.right,
      ticks: places)
    let y = LogAxis(
      points.map(\.y), from: Self.size.height - Self.margin.bottom, to: Self.margin.top)
    let svg = Markup(
      "svg",
      [
        "role": "img",
        "viewBox": "0 0 \(ChartMark.text(Self.size.width)) \(ChartMark.text(Self.size.height))",
      ],
      .lines(
        [
          Markup("title", [:], .text(title)),
          Markup(
            "desc", [:],
            .text("\(axes.y) over \(axes.x), of \(series.map(\.name).joined(separator: ", "))")),
        ] + frame(x, y) + series.map { draw($0, x, y) }))
    return Markup(
      "figure", [:], .lines([Markup("figcaption", [:], .text(title)), svg, legend]))
  }

  private func draw(_ series: Series, _ x: LogAxis, _ y: LogAxis) -> Markup {
    func places(_ points: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
      points.compactMap { point in
        guard let right = x.place(point.x), let up = y.place(point.y) else { return nil }
        return (right, up)
      }
    }
    let marks = series.points.compactMap { point -> Markup? in
      guard let place = places([point]).first else { return nil }
      return series.mark.mark(
        at: place, "\(series.name), \(words.x(point.x)): \(words.y(point.y))")
    }
    var lines = [series.mark.line(through: places(series.points))]
    if !series.fit.isEmpty {
      lines = [series.mark.line(through: places(series.fit), isDashed: true)]
    }
    return series.mark.group(lines + marks)
  }

  private func frame(_ x: LogAxis, _ y: LogAxis) -> [Markup] {
    let left = ChartMark.text(Self.margin.left)
    let right = ChartMark.text(Self.size.width - Self.margin.right)
    let bottom = Self.size.height - Self.margin.bottom
    var parts: [Markup] = []
    for tick in y.ticks {
      guard let place = y.place(tick) else { continue }
      parts.append(
        .empty("path", ["class": "grid", "d": "M\(left) \(ChartMark.text(place))H\(right)"]))
      parts.append(
        Self.label(words.y(tick), (Self.margin.left - 5, place + 3.5), anchor: "end"))
    }
    var free = -Double.infinity
    for tick in x.ticks {
      guard let place = x.place(tick) else { continue }
      parts.append(
        .empty(
          "path",
          [
            "class": "grid",
            "d": "M\(ChartMark.text(place)) \(ChartMark.text(Self.margin.top))"
              + "V\(ChartMark.text(bottom))",
          ]))
      let half = Double(words.x(tick).count) * 2.8
      guard place - half > free else { continue }
      free = place + half
      parts.append(Self.label(words.x(tick), (place, bottom + 13), anchor: "middle"))
    }
    parts.append(Self.label(axes.y, (Self.margin.left - 5, 9), anchor: "start"))
    parts.append(
      Self.label(
        axes.x, (Self.size.width - Self.margin.right, Self.size.height - 4), anchor: "end"))
    return parts
  }

  static func label(
    _ text: String, _ place: (x: Double, y: Double), anchor: String
  ) -> Markup {
    Markup(
      "text",
      ["x": ChartMark.text(place.x), "y": ChartMark.text(place.y), "text-anchor": anchor],
      .text(text))
  }

  private var legend: Markup {
    Markup(
      "ul", ["class": "legend"],
      series.map { Markup("li", [:], $0.mark.sample, .text($0.name)) })
  }
}
