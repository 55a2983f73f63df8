import Reports

/// A run of a suite as one page of HTML, with charts.
package struct BenchmarkPage {
  private let measured: Measurements
  private let comparison: BenchmarkComparison?
  private let tables: BenchmarkTables

  package init(_ measured: Measurements, comparison: BenchmarkComparison? = nil) {
    self.measured = measured
    self.comparison = comparison
    tables = BenchmarkTables(measured)
  }

  /// The whole page.
  package var html: String {
    let warnings = measured.warnings.map { Markup("p", ["class": "banner"], .text($0)) }
    let machine = measured.machine
    let lead = [
      measured.advice.map { Markup("p", [:], .text($0)) },
      Markup(
        "p", [:],
        .text(
          "\(machine.cpu), \(measured.roundCount) rounds, interleaved; the reference spreads "
            + "\(FigureText.percent(measured.noise)) "
            + "(\(measured.isNoisy ? "too noisy to compare" : "fine to compare")).")),
    ].compactMap { $0 }
    var page = HTMLPage(
      "\(measured.suite): \(measured.summary)", maker: "lab bench", lead: warnings + lead,
      skipTarget: "demands",
      parts: [
        Markup("h2", ["id": "demands"], "What is demanded"),
        .table("What each demand came to", tables.demands),
      ] + compared + charts + figures + [
        Markup("h2", [:], "How to read the figures"),
        Markup("ul", [:], measured.notes.map { Markup("li", [:], .text($0)) }),
        Markup("h2", [:], "Machine"),
        .table("What this was measured on, and with", tables.machine),
      ]
    )
    page.data = comparison?.json ?? measured.json
    return page.html
  }

  private var compared: [Markup] {
    guard let comparison else { return [] }
    return [
      Markup("h2", [:], "Beside an older run"),
      Markup("ul", [:], comparison.differences.map { Markup("li", [:], .text($0)) }),
      Markup("p", [:], .text(comparison.summary)),
      .table("Each figure of both runs", comparison.table),
    ]
  }

  private var figures: [Markup] {
    [
      Markup("h2", [:], "All figures"),
      Markup("p", [:], "The median counts; the spread is how far it lies above the minimum."),
    ]
      + measured.sections.map { section in
        .table(
          measured.isSmoke ? "\(section.title) (\(Measurements.smokeWords))" : section.title,
          tables.rows(of: section))
      }
  }

  // MARK: - Charts

  private var charts: [Markup] {
    let charts = measured.sections.flatMap { section in
      [throughput(section), distributions(section)].compactMap { $0 } + growth(section)
    }
    guard !charts.isEmpty else { return [] }
    return [
      Markup("h2", [:], "Charts"),
      Markup("p", [:], "All axes are logarithmic. Each number stands in a table below."),
      Markup("div", ["class": "charts"], charts),
    ]
  }

  /// Of each implementation, with the bound drawn in.
  private func throughput(_ section: Measurements.Section) -> Markup? {
    guard case .sizes(let bound) = section.layout else { return nil }
    var series = section.rows.map(\.implementation).unique.enumerated().map { index, name in
      let rows = section.rows.filter { $0.implementation == name }
      let isFirst = rows.contains { !$0.demands.isEmpty }
      return LineChart.Series(
        name, ChartMark(isFirst ? .first : .other, index),
        rows.map { (Double($0.bytes), $0.bytesPerNanosecond) })
    }
    let sizes = Set(section.rows.map(\.bytes)).sorted()
    let limits = sizes.compactMap { bytes -> (x: Double, y: Double)? in
      let rows = section.rows.filter { $0.bytes == bytes }
      let row = rows.first { row in row.ratios.contains { $0.name == bound } }
      guard let row, let share = row.ratios.first(where: { $0.name == bound })?.value else {
        return nil
      }
      return (Double(bytes), row.bytesPerNanosecond / share)
    }
    if !limits.isEmpty { series.append(LineChart.Series(bound, ChartMark(.bound), limits)) }
    return LineChart(
      "\(section.title): throughput by size", axes: ("size", "GB/s"), series,
      words: ({ FigureText.size(Int($0)) }, FigureText.round)
    ).markup
  }

  /// Of the rounds of each time.
  private func distributions(_ section: Measurements.Section) -> Markup? {
    guard case .cases = section.layout else { return nil }
    var names: Set<String> = []
    let strips = section.rows.filter { $0.unit == .nanoseconds && $0.value.isFinite }.map { row in
      let isFirst = names.insert(row.name).inserted
      return StripChart.Strip(
        "\(row.name) (\(row.implementation))", ChartMark(isFirst ? .first : .other),
        minimum: row.minimum, value: row.value, samples: row.samples)
    }
    guard !strips.isEmpty else { return nil }
    return StripChart("\(section.title): every round", strips) {
      FigureText.value($0, .nanoseconds)
    }.markup
  }

  /// Curves over the same thing stand in one chart.
  private func growth(_ section: Measurements.Section) -> [Markup] {
    section.curves.map(\.over).unique.compactMap { over in
      let curves = section.curves.filter { $0.over == over && $0.points.count > 1 }
      guard let unit = curves.first?.unit else { return nil }
      let series = curves.enumerated().map { index, curve in
        let fit = curve.fit
        var series = LineChart.Series(
          "\(curve.name), grows with exponent \(FigureText.ratio(fit.exponent)) (dotted)",
          ChartMark(.first, index), curve.points.map { ($0.size, $0.value) })
        series.fit = curve.points.map { ($0.size, fit.cost(of: $0.size)) }
        return series
      }
      return LineChart(
        "\(section.title): cost over \(over)", axes: (over, "cost"), series,
        words: (FigureText.round, { FigureText.value($0, unit) })
      ).markup
    }
  }
}
