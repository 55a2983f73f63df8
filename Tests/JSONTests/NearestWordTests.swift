import JSON
import Testing

@Suite struct `The nearest word` {
  private let commands = ["chaos", "run", "replay", "restore", "reset", "mount", "unmount", "ui"]

  @Test func `forgives one slip in three letters`() {
    #expect(NearestWord.to("chaso", among: commands) == "chaos")
    #expect(NearestWord.to("chao", among: commands) == "chaos")
    #expect(NearestWord.to("cchaos", among: commands) == "chaos")
    #expect(
      NearestWord.to("keychian-reset", among: ["kill", "keychain-reset"]) == "keychain-reset")
    #expect(NearestWord.to("unmuont", among: commands) == "unmount")
    #expect(NearestWord.to("Replay", among: commands) == "replay")
  }

  @Test func `is none when nothing is similar`() {
    #expect(NearestWord.to("explode", among: commands) == nil)
    #expect(NearestWord.to("ab", among: commands) == nil)
    #expect(NearestWord.to("", among: commands) == nil)
    #expect(NearestWord.to("x", among: commands) == nil)
    #expect(NearestWord.to("run", among: []) == nil)
    #expect(NearestWord.to(String(repeating: "a", count: 200), among: commands) == nil)
  }

  @Test func `prefers fewer slips, then the right case, then the earlier word`() {
    #expect(NearestWord.to("rest", among: ["reset", "rust", "test"]) == "reset")
    #expect(NearestWord.to("keeP", among: ["KEEP", "keep"]) == "keep")
    #expect(NearestWord.to("resets", among: ["presets", "reset"]) == "presets")
  }
}
