import Chaos
import JSON
import Phone
import Session
import Testing

@Suite struct `The replay file of a story` {
  private static let fault = SessionFault(.kill, at: 74)

  private func replay() throws -> StoryReplay {
    var plan = SessionPlan(phone: .ios, store: "recipe", profile: .seed)
    plan.stories = [.stay]
    plan.onlyFault = Self.fault
    let one = try #require(try SessionExplorer(plan).run().violations.first)
    return StoryReplay(one, of: plan, named: "t", foundBy: "lab explore")
  }

  private func read(_ text: String) throws(JSONError) -> ReplayFile {
    try ReplayFile.read(Array(text.utf8), name: "t")
  }

  @Test func `is read as it was written, and shows the failure again`() throws {
    let replay = try replay()
    let again = try #require(try read(replay.text).story)
    #expect(again == replay)
    #expect(again.text == replay.text)
    let played = try again.play()
    #expect(played.isSame)
    #expect(played.shown?.judgement.verdict == .falseSignOut)
    #expect(played.account.count { $0.isFault } == 1)
  }

  @Test func `says what is not as recorded`() throws {
    let text = try replay().text
    let other = try #require(try read(text.replacing("kill@74", with: "kill@73")).story).play()
    #expect(!other.isSame)
    let nowhere = try #require(try read(text.replacing("kill@74", with: "kill@7400")).story).play()
    #expect(!nowhere.isSame)
    #expect(nowhere.shown == nil)
  }

  @Test func `loses what its failure does not need when it is shrunk`() throws {
    let replay = try replay()
    var plan = SessionPlan(phone: .ios, store: "recipe", profile: .seed)
    plan.stories = [.stay]
    plan.onlyFault = Self.fault
    plan.killsRecovery = true
    let found = try SessionExplorer(plan).run().violations
    let again = found.first { $0.secondKill != nil && $0.judgement.verdict == .falseSignOut }
    let twice = StoryReplay(
      try #require(again), of: plan, named: "t", foundBy: "lab explore")
    let shrunk = try #require(try twice.shrunk())
    #expect(shrunk.after == replay)
    #expect("\(shrunk)" == "shrunk: 2 -> 1 fault (2 tries)")
    let other = try #require(try read(replay.text.replacing("kill@74", with: "kill@7400")).story)
    #expect(try other.shrunk() == nil)
  }

  @Test(arguments: [
    ("kill@74", "kil@74", "such as kill@74"),
    ("\"stay\"", "\"sty\"", "nearest: stay"),
    ("\"recipe\"", "\"recipy\"", "nearest: recipe"),
    ("\"met\"", "\"mett\"", "nearest: met"),
    ("lab.story/1", "lab.story/2", "lab.story/2"),
  ])
  func `names the place and the nearest word of a slip`(
    old: String, new: String, words: String
  ) throws {
    let text = try replay().text.replacing(old, with: new)
    #expect { try read(text) } throws: { error in
      guard let error = error as? JSONError else { return false }
      return Diagnostic(error, file: "t.json", source: text).text.contains(words)
    }
  }
}
