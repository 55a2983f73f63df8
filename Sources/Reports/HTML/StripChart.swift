/// How far the samples of several cases lie apart, one strip for each, on one logarithmic axis.
package struct StripChart {
  package struct Strip {
    package let name: String
    package let mark: ChartMark
    package let minimum: Double
    /// What counts: the median, or another quantile.
    package let value: Double
    package let samples: [Double]

    package init(
      _ name: String, _ mark: ChartMark, minimum: Double, value: Double, samples: [Double]
    ) {
      self.name = name
      self.mark = mark
      self.minimum = minimum
      self.value = value
      self.samples = samples
    }
  }

  package let title: String
  package let strips: [Strip]
  package let words: (Double) -> String

  package init(_ title: String, _ strips: [Strip], words: @escaping (Double) -> String) {
    self.title = title
    self.strips = strips
    self.words = words
  }

  private static let width = 360.0
  private static let margin = 14.0
  private static let stripHeight = 27.0

  /// A figure with its caption.
  package var markup: Markup {
    let height = Double(strips.count) * Self.stripHeight + 20
    let axis = LogAxis(
      strips.flatMap { $0.samples + [$0.minimum, $0.value] }, from: Self.margin,
      to: Self.width - Self.margin)
    let svg = Markup(
      "svg",
      ["role": "img", "viewBox": "0 0 \(ChartMark.text(Self.width)) \(ChartMark.text(height))"],
      .lines(
        [
          Markup("title", [:], .text(title)),
          Markup(
            "desc", [:],
            .text(
              "A dot for each sample, a line at what counts. "
                + strips.map { "\($0.name): \(words($0.value))" }.joined(separator: "; "))),
        ] + frame(axis, height) + strips.enumerated().map { draw($1, at: $0, axis) }))
    return Markup("figure", [:], .lines([Markup("figcaption", [:], .text(title)), svg]))
  }

  private func draw(_ strip: Strip, at index: Int, _ axis: LogAxis) -> Markup {
    let top = Double(index) * Self.stripHeight
    let middle = top + 19
    var parts = [
      LineChart.label(
        "\(strip.name): \(words(strip.value))", (Self.margin, top + 10), anchor: "start")
    ]
    let places = ([strip.minimum, strip.value] + strip.samples).compactMap(axis.place)
    if let first = places.min(), let last = places.max() {
      parts.append(strip.mark.line(through: [(first, middle), (last, middle)]))
    }
    parts += strip.samples.compactMap(axis.place).map { place in
      .empty(
        "circle",
        ["class": "sample", "cx": ChartMark.text(place), "cy": ChartMark.text(middle), "r": "2.5"])
    }
    if let line = axis.place(strip.value) {
      parts.append(strip.mark.line(through: [(line, middle - 5), (line, middle + 5)]))
    }
    return strip.mark.group(parts)
  }

  private func frame(_ axis: LogAxis, _ height: Double) -> [Markup] {
    var free = -Double.infinity
    return axis.ticks.flatMap { tick -> [Markup] in
      guard let place = axis.place(tick) else { return [] }
      let line = Markup.empty(
        "path",
        ["class": "grid", "d": "M\(ChartMark.text(place)) 0V\(ChartMark.text(height - 16))"])
      let half = Double(words(tick).count) * 2.8
      guard place - half > max(free, 0), place + half < Self.width else { return [line] }
      free = place + half
      return [line, LineChart.label(words(tick), (place, height - 5), anchor: "middle")]
    }
  }
}
