import Terminal
import TestSupport
import Testing

@testable import Reports

@Suite struct `A piece of markup` {
  private let hostile = #"<img src=x onerror="alert('1')"> & </td>"#

  @Test func `shows a text as it is, and never as a tag`() {
    let cell = Markup("td", [:], .text(hostile))
    #expect(
      cell.html
        == "<td>&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; &lt;/td&gt;</td>")
  }

  @Test func `keeps the value of an attribute inside its quotes`() {
    let cell = Markup("td", ["title": hostile, "class": nil])
    #expect(
      cell.html
        == "<td title=\"&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; "
        + "&lt;/td&gt;\"></td>")
  }

  @Test func `escapes a literal like any other text`() {
    let literal: Markup = "1 < 2"
    #expect(literal == .text("1 < 2"))
    #expect(literal.html == "1 &lt; 2")
  }

  @Test func `shows what was escaped already as it was written`() {
    #expect(Markup.text("&lt;").html == "&amp;lt;")
  }

  @Test(arguments: ["\0", "\u{1B}", "\u{7F}", "\u{85}", "\u{FFFF}"])
  func `replaces a character that no document may hold`(text: String) {
    #expect(Markup.text("a\(text)b").html == "a\u{FFFD}b")
  }

  @Test func `keeps blanks, line ends and every script`() {
    let text = "a\tb\nc \u{E9}\u{4E2D}\u{1F600}"
    #expect(Markup.text(text).html == text)
  }

  @Test func `gives any text back to whoever reads it`() throws {
    // Every scalar of the first planes that a text may hold, in pieces.
    let scalars = (0x20...0xFFFD).compactMap(Unicode.Scalar.init).filter {
      !(0x7F...0x9F).contains($0.value)
    }
    let text = String(String.UnicodeScalarView(scalars))
    let markup = Markup("p", ["title": text], .text(text))
    let read = try Outline(markup.html)
    #expect(read.texts.joined().unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(
      read.attributes("title").first?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
  }

  @Test func `puts a table of a terminal under a caption, its first column naming the rows`() throws
  {
    var table = Table([Table.Column("case"), Table.Column("time", isRightAligned: true)])
    table.add("save <1>", Table.Cell("MISSED", .fail))
    let read = try Outline(Markup.table("All & everything", table).html)
    #expect(read.texts == ["All & everything", "case", "time", "save <1>", "MISSED"])
    #expect(read.names.filter { $0 == "th" }.count == 3)
    #expect(read.attributes("scope") == ["col", "col", "row"])
    #expect(read.attributes("class").contains("number fail"))
    #expect(read.attributes("tabindex") == ["0"])
  }
}

@Suite struct `A page` {
  private let page = HTMLPage(
    "2 < 3", maker: "lab bench", lead: ["lead"], skipTarget: "tables",
    parts: [Markup("h2", ["id": "tables"], "Tables")])

  @Test func `is well-formed, names itself once, and lets the keyboard past its head`() throws {
    let read = try Outline(page.html)
    #expect(read.names.filter { $0 == "h1" || $0 == "main" || $0 == "title" }.count == 3)
    #expect(read.texts.contains("2 < 3 - lab bench"))
    #expect(read.attributes("href") == ["#tables"])
    #expect(read.attributes("id") == ["tables"])
    #expect(read.attributes("lang") == ["en"])
  }

  @Test func `loads and runs nothing, and says so to the browser`() throws {
    let read = try Outline(page.html)
    #expect(read.attributes("content").contains { $0.hasPrefix("default-src 'none'; ") })
    #expect(!read.names.contains("script") && !read.names.contains("link"))
    #expect(!page.html.contains("url(") && !page.html.contains("@import"))
  }
}

@Suite struct `A chart` {
  @Test func `has its name, its curves and a legend in words`() throws {
    let chart = LineChart(
      "throughput", axes: ("size", "GB/s"),
      [
        .init("ours", ChartMark(.first), [(64, 1), (4096, 10)]),
        .init("limit", ChartMark(.bound), [(64, 12), (4096, 12)]),
      ], words: ({ "\(Int($0)) B" }, { "\($0)" }))
    let read = try Outline(chart.markup.html)
    #expect(read.attributes("role") == ["img"])
    #expect(read.texts.filter { $0 == "throughput" }.count == 2)
    #expect(read.texts.contains("GB/s over size, of ours, limit"))
    #expect(read.texts.contains("ours, 4096 B: 10.0"))
    #expect(read.texts.suffix(2) == ["ours", "limit"])
    // A curve each, twice: in the chart and in its legend.
    #expect(read.attributes("class").filter { $0 == "curve" }.count == 4)
  }

  @Test func `draws nothing for what has no place on its axis`() throws {
    let chart = LineChart(
      "t", axes: ("x", "y"), [.init("s", ChartMark(.first), [(1, 0), (2, .nan), (3, 5)])],
      words: ({ "\($0)" }, { "\($0)" }))
    #expect(!chart.markup.html.contains("nan") && !chart.markup.html.contains("inf"))
    #expect(
      try Outline(chart.markup.html).attributes("class").filter { $0 == "mark full" }.count == 2)
  }

  @Test func `says the median of each strip, and shows each sample`() throws {
    let chart = StripChart(
      "rounds",
      [.init("write", ChartMark(.first), minimum: 10, value: 12, samples: [10, 12, 100])]
    ) { "\(Int($0)) ns" }
    let read = try Outline(chart.markup.html)
    #expect(read.texts.contains("write: 12 ns"))
    #expect(read.names.filter { $0 == "circle" }.count == 3)
  }

  @Test(arguments: [[5.0], [1, 2], [1, 1000], [1e-3, 1e9], []])
  func `has every value between the ends of its axis`(values: [Double]) {
    let axis = LogAxis(values, from: 10, to: 90)
    #expect(values.compactMap(axis.place).allSatisfy { (10...90).contains($0) })
    #expect(axis.ticks.compactMap(axis.place).allSatisfy { (10...90).contains($0) })
    #expect(
      values.isEmpty || values.compactMap(axis.place) == values.compactMap(axis.place).sorted())
  }
}
