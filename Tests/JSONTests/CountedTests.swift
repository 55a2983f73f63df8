import JSON
import Testing

@Suite struct `What is counted` {
  @Test(arguments: [(0, "0 images"), (1, "1 image"), (2, "2 images")])
  func `is one, or several`(count: Int, words: String) {
    #expect(Counted.words(count, "image") == words)
  }

  @Test(arguments: [(0, "0 tries"), (1, "1 try"), (12, "12 tries")])
  func `has a plural of its own where that is no s`(count: Int, words: String) {
    #expect(Counted.words(count, "try", "tries") == words)
  }
}
