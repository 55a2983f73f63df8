/// What a suite measured.
package struct Measurements: Sendable {
  package let suite: String
  package let seed: UInt64
  /// Of the work that was done; equal for equal parameters.
  package let digest: String
  package var roundCount: Int
  /// How many rounds there should have been, where somebody stopped before the last one.
  package var plannedRoundCount: Int?
  /// A quick pass, to see that all runs.
  package var isSmoke = false
  package let machine: MachineDescription
  package var sections: [Section]
  /// What the reader has to know about the figures, in whole sentences.
  package var notes: [String]
  /// How far the median of the reference lies above its minimum, as a fraction.
  package let noise: Double

  /// How many other threads wanted a processor, in the median of the rounds.
  package let neighbours: Double

  /// What the figures mean for the reader, in one or two sentences; the last thing that is said.
  package var conclusion: String?

  /// A median that lies further above its minimum says little.
  static let noiseMax = 0.15

  /// Whether the machine was too busy for figures that mean anything.
  package var isNoisy: Bool { noise > Self.noiseMax || neighbours >= 1 }

  package var rows: [Row] { sections.flatMap(\.rows) }

  package var wasInterrupted: Bool { plannedRoundCount != nil }

  /// Rows that belong under one heading.
  package struct Section: Sendable {
    package let title: String
    package var rows: [Row] = []
    package var layout = Layout.cases
    /// What grows, and how.
    package var curves: [Curve] = []
  }

  /// How a cost grows with the size of the work.
  package struct Curve: Sendable {
    /// What costs: `preparation`.
    package let name: String
    /// What there is more and more of: `saves`.
    package let over: String
    package let unit: Unit
    package let points: [Point]

    package struct Point: Sendable {
      package let size: Double
      package let value: Double
    }

    /// The power of the size that fits the points best.
    package var fit: PowerFit { PowerFit(points.map { ($0.size, $0.value) }) }
  }

  /// How people see a section.
  package enum Layout: Sendable {
    /// A line for each case, with the times of the other implementations beside those of the first.
    case cases
    /// A line for each implementation, with its throughput for each size of a message, and how much
    /// that is of the ratio of this name.
    case sizes(of: String)
    /// A line for each case, and a column for each implementation.
    case counts
  }

  /// One case of one implementation. The first row of a case is the one that its section is about;
  /// the others stand beside it.
  package struct Row: Sendable {
    package let name: String
    package let implementation: String
    package var bytes = 0
    package var unit = Unit.nanoseconds
    /// The median of the rounds, unless the name says otherwise.
    package let value: Double
    package let minimum: Double
    package let spread: Double
    package var ratios: [Ratio] = []
    package var demands: [Demand] = []
    /// What each round gave, or the quantiles of that where it is too much to keep.
    package var samples: [Double] = []
  }

  package enum Unit: String, CaseIterable, Sendable {
    case nanoseconds = "ns"
    case perSecond = "1/s"
    case count
  }

  /// How a row stands to a bound or to another implementation.
  package struct Ratio: Sendable {
    /// What it is compared with: `pipe`, `tmpfs`.
    package let name: String
    package let value: Double
  }

  /// What a row has to reach, so that the mounted tier is fast enough for its purpose.
  package struct Demand: Sendable {
    /// `pipe >= 0.60`
    package let words: String
    /// What there is instead.
    package let measured: String
    package let isMet: Bool
    /// The fraction of the limit by which it is missed, or surpassed; below zero where it is missed,
    /// and no number where the limit is zero.
    package var margin = Double.nan
  }
}

extension Measurements.Row {
  init(_ name: String, _ implementation: String, _ samples: Samples, bytes: Int = 0) {
    self.name = name
    self.implementation = implementation
    self.bytes = bytes
    value = samples.median
    minimum = samples.minimum
    spread = samples.spread
    self.samples = samples.kept
  }

  /// A row for one quantile of samples; they are apart by nature, so there is no spread.
  init(_ name: String, _ implementation: String, _ samples: Samples, quantile: Double) {
    self.name = name
    self.implementation = implementation
    value = samples.quantile(quantile)
    minimum = samples.minimum
    spread = .nan
    self.samples = samples.kept
  }

  mutating func add(_ name: String, _ value: Double) {
    ratios.append(Measurements.Ratio(name: name, value: value))
  }

  /// Demands that a ratio of this row is at least so large.
  mutating func demand(_ name: String, atLeast limit: Double) {
    guard let ratio = ratios.first(where: { $0.name == name }) else { return }
    demand("\(name) >= ", ratio.value, atLeast: limit, FigureText.ratio)
  }

  /// Demands that a ratio of this row is at most so large.
  mutating func demand(_ name: String, atMost limit: Double) {
    guard let ratio = ratios.first(where: { $0.name == name }) else { return }
    demand("\(name) <= ", ratio.value, atMost: limit, FigureText.ratio)
  }

  /// Demands that the value itself is at least so large.
  mutating func demand(atLeast limit: Double) {
    demand(">= ", value, atLeast: limit) { [unit] in FigureText.value($0, unit) }
  }

  /// Demands that the value itself is at most so large.
  mutating func demand(atMost limit: Double) {
    demand("<= ", value, atMost: limit) { [unit] in FigureText.value($0, unit) }
  }

  private mutating func demand(
    _ words: String, _ measured: Double, atLeast limit: Double, _ text: (Double) -> String
  ) {
    demands.append(
      .init(
        words: words + text(limit), measured: text(measured), isMet: measured >= limit,
        margin: limit > 0 ? measured / limit - 1 : .nan))
  }

  private mutating func demand(
    _ words: String, _ measured: Double, atMost limit: Double, _ text: (Double) -> String
  ) {
    demands.append(
      .init(
        words: words + text(limit), measured: text(measured), isMet: measured <= limit,
        margin: limit > 0 ? 1 - measured / limit : .nan))
  }
}
