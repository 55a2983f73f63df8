import JSON
import Testing

@testable import Benchmarks

@Suite struct `A run beside an older one` {
  private func change(
    _ new: Measurements, _ old: Measurements, _ name: String, ratio: String? = nil
  ) -> BenchmarkComparison.Change? {
    BenchmarkComparison(new, with: old).lines.first {
      $0.row.name == name && $0.row.implementation == "lab" && $0.ratio == ratio
    }?.change
  }

  private let write = "write <4 KiB>"

  @Test func `changed nothing when it is the same`() {
    let comparison = BenchmarkComparison(.sample(), with: .sample())
    #expect(comparison.lines.allSatisfy { $0.change == .none })
    #expect(comparison.summary.hasSuffix("no change seen."))
    #expect(comparison.differences == ["both runs: the same machine, libraries and build"])
  }

  @Test func `changed only by more than both spread`() {
    // Each spreads by 4 %.
    #expect(change(.sample(scale: 1.03), .sample(), write) == BenchmarkComparison.Change.none)
    #expect(change(.sample(scale: 0.97), .sample(), write) == BenchmarkComparison.Change.none)
    #expect(change(.sample(scale: 1.06), .sample(), write) == .slower)
    #expect(change(.sample(scale: 0.94), .sample(), write) == .faster)
  }

  @Test func `is as uncertain as the wider of the two`() {
    var old = Measurements.sample()
    old.sections[0].rows[0] = .init(write, "lab", .of(1_000, 1_300, 1_400))
    #expect(change(.sample(scale: 1.05), old, write) == BenchmarkComparison.Change.none)
    #expect(change(.sample(scale: 0.5), old, write) == .faster)
  }

  @Test func `is as uncertain as the reference of either run, but for counts`() {
    var old = Measurements.sample(noise: 0.5)
    old.sections[0].rows[3] = .init("cases", "round trips", .of(15, 15))
    old.sections[0].rows[3].unit = .count
    let lines = BenchmarkComparison(.sample(scale: 1.3), with: old).lines
    #expect(lines.first { $0.row.name == write }?.change == BenchmarkComparison.Change.none)
    #expect(lines.first { $0.row.implementation == "round trips" }?.change == .higher)
  }

  @Test func `compares ratios with the noise of both their sides`() {
    var old = Measurements.sample()
    old.sections[0].rows[0].ratios = [.init(name: "tmpfs", value: 0.45)]
    #expect(change(.sample(), old, write, ratio: "tmpfs") == .higher)
    old.sections[0].rows[1] = .init(write, "tmpfs", .of(500, 600, 600))
    #expect(change(.sample(), old, write, ratio: "tmpfs") == BenchmarkComparison.Change.none)
  }

  @Test func `compares no times on another processor, but ratios and counts`() {
    let old = Measurements.sample(cpu: "Other CPU", scale: 3)
    #expect(change(.sample(), old, write) == nil)
    #expect(change(.sample(), old, write, ratio: "tmpfs") == BenchmarkComparison.Change.none)
    let comparison = BenchmarkComparison(.sample(), with: old)
    #expect(comparison.lines.contains { $0.row.unit == .count })
    #expect(comparison.differences.contains("cpu: Other CPU -> Sample CPU"))
    #expect(comparison.differences.contains { $0.contains("times are not") })
  }

  @Test func `names what only one of them has`() {
    var old = Measurements.sample()
    old.sections[0].rows.removeFirst()
    old.sections[0].rows.append(.init("gone", "lab", .of(1)))
    #expect(change(.sample(), old, write) == .onlyNew)
    #expect(change(.sample(), old, "gone") == .onlyOld)
  }

  @Test func `sees no change where nobody knows the spread`() {
    var (new, old) = (Measurements.sample(), Measurements.sample())
    new.sections[0].rows = [.init("p99", "lab", .of(2), quantile: 0.99)]
    old.sections[0].rows = [.init("p99", "lab", .of(1), quantile: 0.99)]
    #expect(change(new, old, "p99") == .unknown)
  }

  @Test func `says of other work, of debug builds and of smoke that they are no match`() {
    var old = Measurements.sample(isOptimised: false)
    old.isSmoke = true
    let differences = BenchmarkComparison(.sample(), with: old).differences
    #expect(differences.contains("build: debug -> optimised"))
    #expect(differences.contains { $0.hasPrefix("old run: smoke:") })
    #expect(differences.contains { $0.hasPrefix("old run: DEBUG BUILD") })
  }
}
