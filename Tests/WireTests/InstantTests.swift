import Testing
import Wire

@Suite struct `A moment` {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (1_790_000_000_000, "2026-09-21T14:13:20.000Z"),
    (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (-62_167_219_200_001, "-000001-12-31T23:59:59.999Z"),
    (253_402_300_800_000, "+010000-01-01T00:00:00.000Z"),
  ]) func `is written as JavaScript does`(_ ms: Int64, _ text: String) {
    #expect(Instant(ms: ms).isoText == text)
    if text.first != "-" && text.first != "+" { #expect(Instant(text)?.ms == ms) }
  }

  @Test func `is read back on every day of four centuries`() {
    for day in Int64(-80_000)..<80_000 {
      let instant = Instant(ms: day * 86_400_000 + 45_296_789)
      guard instant.isoText.first != "-" else { continue }
      #expect(Instant(instant.isoText) == instant, "day \(day)")
    }
  }

  @Test(arguments: [
    ("Wed, 23 Sep 2026 12:00:00 GMT", 1_790_164_800_000),
    ("Wed, 23-Sep-2026 12:00:00 GMT", 1_790_164_800_000),
    ("23 Sep 2026 12:00:00 UTC", 1_790_164_800_000), ("2026-10-01", 1_790_812_800_000),
    ("2026-10-01T00:00:00+02:00", 1_790_805_600_000), ("2026-10-01T00:00Z", 1_790_812_800_000),
    ("2026-10-01T00:00:00.25Z", 1_790_812_800_250),
  ]) func `is read from the spellings of the web`(_ text: String, _ ms: Int64) {
    #expect(Instant(text)?.ms == ms)
  }

  @Test(arguments: [
    "", "soon", "not a date", "2026-13-01", "2026-10-01T25:00:00Z", "2026-10-01T00:60:00Z",
    "Wed, 23 Foo 2026 12:00:00 GMT", "Xyz, 23 Sep 2026 12:00:00 GMT", "2026-10-01T00:00:00ZZ",
  ]) func `is no other text`(_ text: String) { #expect(Instant(text) == nil) }

  @Test func `prints as a date of JavaScript where UTC is local`() {
    #expect(
      Instant(ms: 1_767_225_600_000).javaScriptText
        == "Thu Jan 01 2026 00:00:00 GMT+0000 (Coordinated Universal Time)")
  }
}
