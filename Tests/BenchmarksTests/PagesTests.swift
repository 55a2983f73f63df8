import JSON
import Terminal
import TestSupport
import Testing

@testable import Benchmarks

@Suite struct `A page of a run` {
  /// Of pages, the cells in which a row stands.
  private func expectEveryRow(of measured: Measurements, in page: Outline) {
    let texts = Set(page.texts)
    for row in measured.rows {
      for text in [
        row.name, row.implementation, FigureText.value(row.value, row.unit),
        FigureText.value(row.minimum, row.unit),
      ] + row.ratios.map({ FigureText.ratio($0.value) }) + row.demands.map(\.words) {
        #expect(texts.contains(text), "\(text) of \(row.name) (\(row.implementation))")
      }
    }
    for (name, value) in measured.machine.facts {
      #expect(texts.contains(name) && texts.contains(value), "\(name)")
    }
  }

  @Test func `is well-formed, and has each row of the run in a table`() throws {
    let measured = Measurements.sample()
    let page = try Outline(BenchmarkPage(measured).html)
    expectEveryRow(of: measured, in: page)
    #expect(page.names.filter { $0 == "table" }.count == 2 + measured.sections.count)
    #expect(page.names.filter { $0 == "caption" }.count == 2 + measured.sections.count)
    #expect(page.texts.contains("sample: 1 of 2 demands met. - lab bench"))
  }

  @Test func `refers to nothing outside`() throws {
    let comparison = BenchmarkComparison(.sample(), with: .sample())
    let html = BenchmarkPage(.sample(), comparison: comparison).html
    let page = try Outline(html)
    #expect(page.attributes("href") == ["#demands"] && page.attributes("src").isEmpty)
    for name in ["http:", "https:", "url(", "@import", "file:"] {
      #expect(!html.contains(name), "\(name)")
    }
    // Nothing runs: what stands in a script is the run, or what the run is compared with.
    let data = html.split(separator: "<script ").dropFirst()
    #expect(data.count == 1 && data.allSatisfy { $0.hasPrefix("type=\"application/json\"") })
    #expect(!html.contains("<script>"))
    let carried = try JSONReader.read(Array(try #require(page.texts.last).utf8)).value
    #expect(JSONWriter.text(of: carried) == JSONWriter.text(of: comparison.json))
  }

  @Test func `draws the bound, the rounds and what grows, each with its name`() throws {
    let page = try Outline(BenchmarkPage(.sample()).html)
    #expect(page.attributes("role").filter { $0 == "img" }.count == 3)
    for title in [
      "AES: throughput by size", "file calls: every round", "AES: cost over saves",
    ] {
      #expect(page.texts.filter { $0 == title }.count == 2, "\(title)")
    }
    #expect(page.attributes("class").contains("bound"))
    #expect(page.names.filter { $0 == "circle" }.count == 6)
    #expect(page.texts.contains("preparation, grows with exponent 1.04 (dotted)"))
  }

  @Test func `says what is missed by how much, and why figures mean nothing`() throws {
    var measured = Measurements.sample(isOptimised: false)
    #expect(try Outline(BenchmarkPage(measured).html).texts.contains("MISSED by 17 %"))
    measured.isSmoke = true
    let texts = try Outline(BenchmarkPage(measured).html).texts
    #expect(texts.contains("smoke: values are not measurements"))
    #expect(texts.contains { $0.hasPrefix("DEBUG BUILD") })
    #expect(texts.contains("file calls (smoke: values are not measurements)"))
    #expect(texts.contains("not judged") && !texts.contains { $0.hasPrefix("MISSED") })
  }

  @Test func `shows the older run first, with what became of each figure`() throws {
    let comparison = BenchmarkComparison(.sample(scale: 2), with: .sample())
    let texts = try Outline(BenchmarkPage(.sample(scale: 2), comparison: comparison).html).texts
    #expect(texts.contains("slower") && texts.contains("no change seen"))
    #expect(texts.contains("Each figure of both runs"))
  }
}

@Suite struct `Runs as a page of Markdown` {
  @Test func `names what is missed at its head, and escapes what would break a table`() {
    let page = ResultsPage([.sample()]).text
    #expect(
      page.contains(
        "| sample | 1 of 2 demands met. | write <4 KiB> (lab): tmpfs >= 0.60, is 0.50 |"))
    #expect(page.contains("| tmpfs >= 0.60 | MISSED by 17 % | 0.50 | write <4 KiB> | lab |"))
    var run = Measurements.sample()
    run.sections[0].rows[0] = .init("a|b", "lab", .of(1))
    #expect(ResultsPage([run]).text.contains("| a\\|b | lab |"))
  }
}

@Suite struct `A report of a run` {
  private func lines(_ measured: Measurements) -> [String] {
    BenchmarkReport(measured).lines(for: Console(output: NoSink(), errors: NoSink()))
  }

  @Test func `says beside each table of a smoke run that it means nothing`() {
    var measured = Measurements.sample()
    #expect(!lines(measured).contains { $0.contains("smoke") })
    measured.isSmoke = true
    let smoke = lines(measured)
    for title in ["file calls", "AES"] {
      let place = smoke.firstIndex { $0.hasPrefix("  \(title) ") } ?? 0
      #expect(place > 0 && smoke[place - 1] == Measurements.smokeWords, "\(title)")
    }
    #expect(smoke.last == Measurements.smokeWords && !smoke.contains("Use it."))
  }

  @Test func `says that it was interrupted, and after how many rounds`() {
    var measured = Measurements.sample()
    measured.plannedRoundCount = 9
    #expect(lines(measured).first == "INTERRUPTED: 3 of 9 rounds.")
  }

  private final class NoSink: LineSink {
    var isTerminal: Bool { false }
    var columnCount: Int? { nil }
    func write(_ bytes: [UInt8]) -> WriteOutcome { .written }
  }
}
