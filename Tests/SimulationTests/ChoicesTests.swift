import Simulation
import Testing

@Suite struct `An exhaustive search` {
  /// Visits all leaves of a tree, and says what each looked like.
  private func leaves(
    _ search: inout ExhaustiveSearch, _ body: (Choices) -> [Int]
  ) throws -> [[Int]] {
    var leaves: [[Int]] = []
    while let choices = try search.next() { leaves.append(body(choices)) }
    return leaves
  }

  private func lopsided(_ choices: Choices) -> [Int] {
    let first = choices.choose(3, "first")
    return first == 1 ? [first, choices.choose(2, "second"), choices.choose(1, "none")] : [first]
  }

  @Test func `visits every leaf once, in order`() throws {
    var search = ExhaustiveSearch()
    #expect(try leaves(&search, lopsided) == [[0], [1, 0, 0], [1, 1, 0], [2]])
    #expect(search.isExhaustive && search.leafCount == 4)
    #expect("\(search)" == "4 leaves, all of them")
    #expect(try search.next() == nil)
  }

  @Test func `has one leaf where nothing is to be chosen`() throws {
    var search = ExhaustiveSearch()
    #expect(try leaves(&search) { [$0.choose(1, "none")] } == [[0]])
  }

  @Test func `counts what lies behind the limit of decisions`() throws {
    var search = ExhaustiveSearch(decisionsMax: 2)
    let found = try leaves(&search) { choices in (0..<4).map { _ in choices.choose(2, "bit") } }
    #expect(found == [[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0]])
    #expect(search.untriedBelow == 8 && !search.isExhaustive)
    #expect("\(search)" == "4 leaves, 8 alternatives after decision 2 not tried")
  }

  @Test func `counts what is left at the limit of leaves`() throws {
    var search = ExhaustiveSearch(leavesMax: 3)
    #expect(try leaves(&search, lopsided) == [[0], [1, 0, 0], [1, 1, 0]])
    #expect(search.untriedBeside == 1 && !search.isExhaustive)
    #expect("\(search)" == "3 leaves, 1 alternatives left at the limit of leaves")
    #expect(try search.next() == nil)
  }

  @Test func `notices a run that depends on something else`() throws {
    var search = ExhaustiveSearch()
    var hidden = 2
    #expect(throws: Divergence.self) {
      while let choices = try search.next() {
        _ = choices.choose(hidden, "hidden")
        _ = choices.choose(2, "seen")
        hidden += 1
      }
    }
  }
}

@Suite struct `A recording` {
  private let decisions = [
    Decision(label: "who", count: 3, choice: 2), Decision(label: "what: a", count: 2, choice: 1),
  ]

  @Test func `is repeated`() {
    let choices = Choices(RecordedChoices(decisions))
    #expect(choices.choose(3, "who") == 2)
    #expect(choices.choose(1, "no choice") == 0)
    #expect(choices.choose(2, "what: a") == 1)
    #expect(choices.finish() == nil)
    #expect(choices.decisions == decisions)
  }

  @Test func `names the first choice that differs`() {
    let choices = Choices(RecordedChoices(decisions))
    #expect(choices.choose(3, "who") == 2)
    #expect(choices.choose(4, "what: a") == 0)
    #expect(choices.choose(5, "who") == 0)
    #expect(
      choices.finish().map(String.init(describing:))
        == "choice 1: recorded 'what: a' of 2, met 'what: a' of 4")
    #expect(choices.decisions.count == 1)
  }

  @Test func `is too short`() {
    let choices = Choices(RecordedChoices([]))
    #expect(choices.choose(2, "who") == 0)
    #expect(
      choices.divergence.map(String.init(describing:))
        == "choice 0: recorded the end, met 'who' of 2")
    #expect(Choices(RecordedChoices([], then: .first)).choose(2, "who") == 0)
  }

  @Test func `is too long`() {
    let choices = Choices(RecordedChoices(decisions))
    _ = choices.choose(3, "who")
    #expect(
      choices.finish().map(String.init(describing:))
        == "choice 1: recorded 'what: a' of 2, met the end")
  }
}

@Suite struct `Random choices` {
  private func draw(_ source: any ChoiceSource, _ labels: [String]) -> [Int] {
    let choices = Choices(source)
    return labels.map { choices.choose(1_000, $0) }
  }

  @Test func `depend on the seed and the kind`() {
    let labels = ["net: a", "net: b", "disk"]
    let first = draw(RandomChoices(seed: 7), labels)
    #expect(first == draw(RandomChoices(seed: 7), labels))
    #expect(first != draw(RandomChoices(seed: 8), labels))
    #expect(first[0] != first[2], "kinds have streams of their own")
  }

  @Test func `of one kind are not shifted by another`() {
    let alone = draw(RandomChoices(seed: 7), ["net", "net", "net"])
    let mixed = draw(RandomChoices(seed: 7), ["net", "new: x", "net", "new", "net"])
    #expect([mixed[0], mixed[2], mixed[4]] == alone)
  }

  @Test func `reach every alternative`() {
    let choices = Choices(RandomChoices(seed: 7))
    #expect(Set((0..<100).map { _ in choices.choose(5, "any") }) == Set(0..<5))
  }

  @Test func `of a swarm leave whole kinds out, and can be replayed without it`() {
    let labels = (0..<200).map { "kind \($0 % 8): \($0)" }
    let swarm = SwarmChoices(RandomChoices(seed: 7), seed: 7)
    let choices = Choices(swarm)
    let drawn = labels.map { choices.choose(1_000, $0) }
    #expect((1...7).contains(swarm.silenced.count), "\(swarm.silenced)")
    for (label, choice) in zip(labels, drawn) {
      let isSilenced = swarm.silenced.contains { label.hasPrefix("\($0):") }
      #expect(isSilenced == (choice == 0), "\(label)")
    }
    #expect(draw(RecordedChoices(choices.decisions), labels) == drawn)
    let others = (UInt64(0)..<20).map { seed in
      let swarm = SwarmChoices(RandomChoices(seed: 7), seed: seed)
      _ = draw(swarm, labels)
      return swarm.silenced
    }
    #expect(Set(others).count > 10)
  }
}
