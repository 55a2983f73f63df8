import Phone
import Testing

@testable import Chaos

@Suite struct `What calls have shown of a program's items` {
  @Test func `is what a save has written, under any name`() {
    var memory = ItemMemory()
    let notes = [
      #"{"half":"key","item":"a.key","change":"begins"}"#,
      #"{"half":"key","item":"a.key","change":"stored"}"#,
      #"{"half":"blob","item":"@b:1","change":"begins"}"#,
      #"{"half":"blob","item":"@b:2","change":"begins"}"#,
      #"{"half":"blob","item":"@b:1","change":"begins"}"#,
      // Not in a save.
      #"{"half":"blob","item":"theme","change":"stored"}"#,
    ]
    #expect(memory.follow(Self.bytes(notes)).isEmpty)
    #expect(memory.written == [.key: ["a.key"], .blob: ["@b:1", "@b:2"]])
    #expect(memory.stored == [.key: ["a.key"], .blob: ["theme"]])
  }

  @Test(arguments: [
    (#""half":"key","item":"k","change":"missing""#, Loss.key),
    (#""half":"blob","item":"b","change":"missing""#, Loss.blob),
    (#""half":"blob","item":"other","change":"missing""#, Loss()),
    (#""half":"key","item":"b","change":"missing""#, Loss()),
  ])
  func `is lost when a module denies it, and only then`(line: String, loss: Loss) {
    var memory = ItemMemory()
    let stored = [
      #"{"half":"key","item":"k","change":"stored"}"#,
      #"{"half":"blob","item":"b","change":"stored"}"#,
    ]
    #expect(memory.follow(Self.bytes(stored)).isEmpty)
    #expect(memory.follow(Self.bytes(stored + ["{\(line)}"])) == loss)
    #expect(memory.lossCount == (loss.isEmpty ? 0 : 1))
    #expect(memory.follow(Self.bytes(stored + ["{\(line)}"])).isEmpty, "read once")
  }

  @Test func `is not lost when the program has removed it`() {
    for change in [#""item":"b","change":"removed""#, #""item":"","change":"cleared""#] {
      var memory = ItemMemory()
      let notes = [
        #"{"half":"blob","item":"b","change":"stored"}"#, "{\"half\":\"blob\",\(change)}",
        #"{"half":"blob","item":"b","change":"missing"}"#,
      ]
      #expect(memory.follow(Self.bytes(notes)).isEmpty)
    }
  }

  @Test func `is read up to the last whole line`() {
    var memory = ItemMemory()
    let lines = Self.bytes([#"{"choice":1,"of":2}"#, #"{"choice":0,"of":3}"#])
    #expect(memory.follow(Array(lines.dropLast(5))).isEmpty)
    #expect(memory.order.map(\.choice) == [1])
    #expect(memory.follow(lines).isEmpty)
    #expect(memory.order.map(\.count) == [2, 3])
    #expect(memory.forNewNotes.order.isEmpty)
  }

  private static func bytes(_ lines: [String]) -> [UInt8] {
    Array(lines.map { "\($0)\n" }.joined().utf8)
  }
}

@Suite struct `Orders of calls` {
  /// Plays a program that has three places of so many calls that wait.
  private func played(_ counts: [Int], countMax: Int) -> (orders: [[Int]], untriedCount: Int) {
    var orders = CallOrders(countMax: countMax)
    var all: [[Int]] = []
    while let begin = orders.next() {
      let choices = counts.enumerated().map { index, count in
        ItemMemory.Choice(choice: index < begin.count ? begin[index] : 0, count: count)
      }
      all.append(choices.map(\.choice))
      orders.played(choices)
    }
    return (all, orders.untriedCount)
  }

  @Test func `are all there are, each once`() {
    let (orders, untriedCount) = played([2, 1, 3], countMax: 100)
    #expect(orders.count == 6 && Set(orders).count == 6)
    #expect(untriedCount == 0)
    #expect(played([1, 1], countMax: 100).orders == [[0, 0]])
    #expect(played([], countMax: 100).orders == [[]])
  }

  @Test func `end at a bound, and say what was left out`() {
    let (orders, untriedCount) = played([2, 2, 2], countMax: 3)
    #expect(orders == [[0, 0, 0], [0, 0, 1], [0, 1, 0]])
    #expect(untriedCount == 2)
  }
}
