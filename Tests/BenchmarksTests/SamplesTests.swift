import Testing

@testable import Benchmarks

@Suite struct `Samples of several rounds` {
  private func samples(_ values: Double...) -> Samples {
    values.reduce(into: Samples()) { $0.add($1) }
  }

  @Test func `have the value in the middle as their median`() {
    #expect(samples(3, 1, 2).median == 2)
    #expect(samples(4, 1, 2, 3).median == 2.5)
  }

  @Test func `have quantiles that are samples`() {
    let hundred = (1...100).reduce(into: Samples()) { $0.add(Double($1)) }
    #expect(hundred.quantile(0.99) == 99)
    #expect(hundred.quantile(1) == 100)
    #expect(samples(7).quantile(0.99) == 7)
  }

  @Test func `spread from the minimum to the median`() {
    #expect(samples(10, 15, 20).spread == 0.5)
    #expect(samples(10, 10, 10).spread == 0)
  }

  @Test func `are compared round by round`() {
    // A neighbour that slows both sides of a round changes no ratio.
    #expect(samples(1, 10, 1).ratio(to: samples(2, 20, 2)) == 0.5)
  }

  @Test func `that are none give no figure`() {
    #expect(Samples().median.isNaN)
    #expect(FigureText.value(Samples().median, .nanoseconds) == "-")
  }
}

@Suite struct `A figure` {
  @Test(arguments: [
    (12.3, "12.3 ns"), (8_437, "8.44 us"), (430_000, "430 us"), (1_250_000, "1.25 ms"),
    (2.5e9, "2.50 s"),
  ]) func `has three digits and a unit that fits`(ns: Double, text: String) {
    #expect(FigureText.value(ns, .nanoseconds) == text)
  }

  @Test func `of a rate or a count has the unit behind it`() {
    #expect(FigureText.value(182.4, .perSecond) == "182/s")
    #expect(FigureText.value(43, .count) == "43")
    #expect(FigureText.value(62.5, .count) == "62.5")
  }
}
