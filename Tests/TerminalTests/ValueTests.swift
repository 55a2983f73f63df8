import Terminal
import Testing

@Suite struct `A time as people type it` {
  @Test func `is whole numbers with units, largest first`() {
    #expect(DurationText.parse("30s") == .seconds(30))
    #expect(DurationText.parse("2m30s") == .seconds(150))
    #expect(DurationText.parse("55min") == .seconds(3300))
    #expect(DurationText.parse("1d2h3m4s5ms6us7ns") != nil)
    #expect(DurationText.parse("0s") == .zero)
  }

  @Test(arguments: [
    "", "30", "s", "1.5s", "-1s", "+1s", "1s2m", "1s1s", "1 s", "1S", "1w", "99999999999d",
    "106751d99999999999h", "1s\u{301}",
  ]) func `is nothing else`(text: String) { #expect(DurationText.parse(text) == nil) }

  @Test func `is written so that it can be read`() {
    for text in ["0s", "30s", "2m30s", "1h", "1d1s", "5ms", "1s500ms", "3us", "9ns"] {
      #expect(DurationText.parse(text).map(DurationText.text) == text)
    }
    #expect(DurationText.text(.seconds(-90)) == "-1m30s")
  }
}

@Suite struct `A size as people type it` {
  @Test func `has a unit`() {
    #expect(SizeText.parse("512B") == 512)
    #expect(SizeText.parse("2KiB") == 2048)
    #expect(SizeText.parse("10MiB") == 10 << 20)
    #expect(SizeText.parse("0B") == 0)
    for text in ["", "512", "KiB", "-1B", "+1B", "01B", "2KB", "2 KiB", "99999999999GiB", "2kib"] {
      #expect(SizeText.parse(text) == nil, "\(text)")
    }
  }

  @Test func `is written so that it can be read`() {
    for text in ["0B", "512B", "2KiB", "1025B", "3MiB", "1GiB"] {
      #expect(SizeText.parse(text).map(SizeText.text) == text)
    }
  }
}
