import Chaos
import Testing

/// Each failure word has a test in which a broken app earns it, and a twin in which a correct one
/// does not.
@Suite struct `The oracle` {
  private let gone = HalvesView(key: nil, blob: nil)
  private let first = HalvesView(key: "k1", blob: "b1")
  private let second = HalvesView(key: "k2", blob: "b2")

  private func signedIn() -> Oracle {
    var oracle = Oracle(isTwoHalf: true)
    save(1, in: &oracle, after: first)
    return oracle
  }

  private func save(_ generation: Int, in oracle: inout Oracle, after: HalvesView) {
    oracle.saveBegins(user: "u", generation: generation, fingerprint: "f\(generation)")
    #expect(oracle.saveEnds(.done, before: gone, after: after).isEmpty)
  }

  private func session(_ generation: Int) -> AppAnswer {
    .session(user: "u", generation: generation, fingerprint: "f\(generation)")
  }

  private func verdicts(_ judgements: [Judgement]) -> [Verdict] { judgements.map(\.verdict) }

  @Test func `keeps the server's own generation`() {
    var oracle = signedIn()
    #expect(verdicts(oracle.launch(session(1), before: first, after: first)) == [.keep])
  }

  @Test func `recovers from one missed generation, and not from two`() {
    var oracle = signedIn()
    oracle.saveBegins(user: "u", generation: 2, fingerprint: "f2")
    _ = oracle.saveEnds(.killed, before: first, after: first)
    #expect(verdicts(oracle.launch(session(1), before: first, after: first)) == [.recover])
    oracle.saveBegins(user: "u", generation: 3, fingerprint: "f3")
    _ = oracle.saveEnds(.killed, before: first, after: first)
    #expect(verdicts(oracle.launch(session(1), before: first, after: first)) == [.falseSignOut])
  }

  @Test func `accepts a session whose save was never acknowledged`() {
    var oracle = signedIn()
    oracle.saveBegins(user: "u", generation: 2, fingerprint: "f2")
    _ = oracle.saveEnds(.killed, before: first, after: second)
    #expect(verdicts(oracle.launch(session(2), before: second, after: second)) == [.keep])
  }

  @Test func `knows of no session after a sign-out and a sign-in that failed`() {
    var oracle = signedIn()
    #expect(oracle.signOutEnds(.done, after: gone).isEmpty)
    oracle.saveBegins(user: "u", generation: 1, fingerprint: "g1")
    let rejected = oracle.saveEnds(.rejected("no room"), before: gone, after: gone)
    #expect(verdicts(rejected) == [.reject])
    #expect(oracle.launch(.absent, before: gone, after: gone).isEmpty)
    #expect(verdicts(oracle.launch(session(1), before: first, after: first)) == [.resurrection])
  }

  @Test func `says what is there of a session that is not shown`() {
    var oracle = signedIn()
    let judged = oracle.launch(.absent, before: first, after: first)
    #expect(
      judged.first?.because == "no session is shown, though both halves are still stored; "
        + "generation 1 was saved, and no fault took a half")
    var other = signedIn()
    let left = HalvesView(key: "k1", blob: nil)
    #expect(
      other.launch(.absent, before: left, after: left).first?.because.hasPrefix("no session; ")
        == true)
  }

  @Test func `says of what a refused sign-in has left that nobody acknowledged it`() {
    var oracle = Oracle(isTwoHalf: true)
    let left = HalvesView(key: "k1", blob: nil)
    oracle.saveBegins(user: "u", generation: 1, fingerprint: "f1")
    #expect(oracle.saveEnds(.rejected("no room"), before: gone, after: left).isEmpty)
    _ = oracle.saveEnds(.rejected("no session"), before: left, after: left)
    let judged = oracle.launch(.absent, before: left, after: left)
    #expect(verdicts(judged) == [.secretLeft])
    #expect(judged.first?.because == "the key is still stored, though no save was acknowledged")
  }

  @Test func `wants nothing to be left of a sign-in that was never acknowledged`() {
    let left = HalvesView(key: "k1", blob: nil)
    for answer in [AppAnswer.killed, .rejected("no room")] {
      var oracle = Oracle(isTwoHalf: true)
      oracle.saveBegins(user: "u", generation: 1, fingerprint: "f1")
      #expect(oracle.saveEnds(answer, before: gone, after: left).isEmpty)
      #expect(verdicts(oracle.launch(.absent, before: left, after: left)) == [.secretLeft])
      #expect(oracle.launch(.absent, before: left, after: left).isEmpty)
      oracle = Oracle(isTwoHalf: true)
      oracle.saveBegins(user: "u", generation: 1, fingerprint: "f1")
      #expect(oracle.saveEnds(answer, before: gone, after: left).isEmpty)
      #expect(oracle.launch(.absent, before: left, after: gone).isEmpty)
    }
  }

  @Test func `misses the session of a sign-in that went well after a sign-out`() {
    var oracle = signedIn()
    _ = oracle.signOutEnds(.done, after: gone)
    oracle.saveBegins(user: "u", generation: 1, fingerprint: "g1")
    _ = oracle.saveEnds(.done, before: gone, after: first)
    #expect(verdicts(oracle.launch(.absent, before: gone, after: gone)) == [.falseSignOut])
  }

  @Test func `sees an old session where the size rule refused the new one`() {
    var oracle = Oracle(isTwoHalf: false)
    save(1, in: &oracle, after: first)
    oracle.noteRefusedBySize()
    save(2, in: &oracle, after: first)
    #expect(verdicts(oracle.launch(session(1), before: first, after: first)) == [.limitExceeded])
    #expect(verdicts(oracle.launch(session(2), before: first, after: first)) == [.keep])
  }

  @Test func `counts the generations behind after a power cut`() {
    var oracle = signedIn()
    oracle.noteSettled()
    save(2, in: &oracle, after: second)
    oracle.note(.recency)
    let judgements = oracle.launch(session(1), before: first, after: first)
    #expect(verdicts(judgements) == [.keep])
    #expect(judgements.first?.generationsBehind == 1)
  }

  @Test(arguments: [AppAnswer.absent, .garbage])
  func `calls a lost session a false sign-out, once`(answer: AppAnswer) {
    var oracle = signedIn()
    #expect(verdicts(oracle.launch(answer, before: first, after: first)) == [.falseSignOut])
    #expect(verdicts(oracle.launch(answer, before: first, after: first)) == [])
  }

  @Test func `asks for a clean-out when a fault took a half`() {
    var clean = signedIn()
    clean.note(.key)
    #expect(verdicts(clean.launch(.absent, before: first, after: gone)) == [.cleanOut])
    #expect(verdicts(clean.launch(.absent, before: gone, after: gone)) == [])

    var dirty = signedIn()
    dirty.note(.key)
    let left = HalvesView(key: nil, blob: "b1")
    #expect(verdicts(dirty.launch(.absent, before: left, after: left)) == [.secretLeft])
    #expect(verdicts(dirty.launch(.absent, before: left, after: left)) == [])
  }

  @Test func `does not blame the app when the only save was not durable yet`() {
    var oracle = signedIn()
    oracle.note(.recency)
    #expect(verdicts(oracle.launch(.absent, before: gone, after: gone)) == [.cleanOut])

    var settled = signedIn()
    settled.noteSettled()
    settled.note(.recency)
    #expect(verdicts(settled.launch(.absent, before: gone, after: gone)) == [.falseSignOut])
  }

  @Test func `accepts a deferred read only while nothing changes`() {
    var oracle = signedIn()
    #expect(verdicts(oracle.launch(.rejected("locked"), before: first, after: first)) == [.defer])
    let halved = HalvesView(key: "k1", blob: nil)
    #expect(
      verdicts(oracle.launch(.rejected("locked"), before: first, after: halved))
        == [.falseSignOut])
  }

  @Test func `accepts a refused save only while nothing changes`() {
    var oracle = signedIn()
    oracle.saveBegins(user: "u", generation: 2, fingerprint: "f2")
    #expect(
      verdicts(oracle.saveEnds(.rejected("full"), before: first, after: first)) == [.reject])
    oracle.saveBegins(user: "u", generation: 2, fingerprint: "f2")
    let halved = HalvesView(key: "k2", blob: "b1")
    #expect(oracle.saveEnds(.rejected("full"), before: first, after: halved).isEmpty)
  }

  @Test func `sees a session that nobody saved`() {
    var oracle = signedIn()
    let changed = AppAnswer.session(user: "u", generation: 1, fingerprint: "other")
    #expect(verdicts(oracle.launch(changed, before: first, after: first)) == [.garbageAccepted])
  }

  @Test func `sees a session that is back after a sign-out`() {
    var oracle = signedIn()
    #expect(oracle.signOutEnds(.done, after: gone).isEmpty)
    #expect(verdicts(oracle.launch(session(1), before: first, after: first)) == [.resurrection])
  }

  @Test func `sees the ghost of a removed app`() {
    var oracle = signedIn()
    oracle.note([.app, .blob])
    #expect(verdicts(oracle.launch(session(1), before: first, after: first)) == [.resurrection])
  }

  @Test func `sees a half that a sign-out left`() {
    var oracle = signedIn()
    let left = HalvesView(key: "k1", blob: nil)
    #expect(verdicts(oracle.signOutEnds(.done, after: left)) == [.secretLeft])
  }

  @Test func `sees a token in the clear, but lets a one-half store keep its own`() {
    var leaky = first
    leaky.showsToken = true
    var twoHalf = signedIn()
    #expect(verdicts(twoHalf.launch(session(1), before: leaky, after: leaky)) == [.plaintextLeaked])
    var oneHalf = Oracle(isTwoHalf: false)
    save(1, in: &oneHalf, after: leaky)
    #expect(verdicts(oneHalf.launch(session(1), before: leaky, after: leaky)) == [.keep])
  }

  @Test func `sees a key that serves twice`() {
    var oracle = signedIn()
    oracle.saveBegins(user: "u", generation: 2, fingerprint: "f2")
    let sameKey = HalvesView(key: "k1", blob: "b2")
    #expect(verdicts(oracle.saveEnds(.done, before: first, after: sameKey)) == [.keyReused])
  }

  @Test func `sees a blob that repeats, where saves derive their keys from one that lasts`() {
    for (blob, expected) in [("b2", [Verdict]()), ("b1", [.keyReused])] {
      var oracle = Oracle(isTwoHalf: true, savesChangeKey: false)
      save(1, in: &oracle, after: first)
      oracle.saveBegins(user: "u", generation: 2, fingerprint: "f2")
      let after = HalvesView(key: "k1", blob: blob)
      #expect(verdicts(oracle.saveEnds(.done, before: first, after: after)) == expected)
    }
  }

  @Test func `sees a save that swallowed the size rule`() {
    var oracle = Oracle(isTwoHalf: false)
    save(1, in: &oracle, after: first)
    oracle.noteRefusedBySize()
    #expect(verdicts(oracle.launch(.absent, before: gone, after: gone)) == [.limitExceeded])
  }

  @Test func `sees an app that does not answer, or ends again and again`() {
    var oracle = signedIn()
    #expect(verdicts(oracle.launch(.noAnswer, before: first, after: first)) == [.hang])
    #expect(oracle.launch(.ended("exit 1"), before: first, after: first).isEmpty)
    #expect(
      verdicts(oracle.launch(.ended("exit 1"), before: first, after: first)) == [.crashLoop])
  }

  @Test func `has nothing to say before anything was saved`() {
    var oracle = Oracle(isTwoHalf: true)
    #expect(oracle.launch(.absent, before: gone, after: gone).isEmpty)
  }

  // MARK: - What else the app keeps

  private func holding(_ names: Set<String>?) -> HalvesView {
    var view = first
    view.secrets = names
    return view
  }

  @Test func `sees that a secret beside the session was deleted, once`() {
    var oracle = signedIn()
    oracle.noteSecret("pin")
    let whole = holding(["s", "pin"])
    let poor = holding(["s"])
    #expect(verdicts(oracle.launch(session(1), before: whole, after: whole)) == [.keep])
    #expect(
      verdicts(oracle.launch(session(1), before: whole, after: poor)) == [.keep, .dataDeleted])
    #expect(verdicts(oracle.launch(session(1), before: poor, after: poor)) == [.keep])
  }

  @Test func `blames nobody for a secret that a fault took, or that cannot be seen`() {
    for loss in [Loss.key, .recency] {
      var oracle = signedIn()
      oracle.noteSecret("pin")
      oracle.note(loss)
      let judgements = oracle.launch(session(1), before: holding([]), after: holding([]))
      #expect(!verdicts(judgements).contains(.dataDeleted))
    }
    var oracle = signedIn()
    oracle.noteSecret("pin")
    #expect(verdicts(oracle.launch(session(1), before: first, after: holding(nil))) == [.keep])
  }

  @Test func `tells a value that is too long to be read from one that cannot be read now`() {
    var oracle = signedIn()
    var long = second
    long.isUnreadablyLong = true
    #expect(
      verdicts(oracle.launch(.rejected("Row too big"), before: long, after: long))
        == [.limitExceeded])
    #expect(
      verdicts(oracle.launch(.rejected("locked"), before: second, after: second)) == [.defer])
  }

  @Test func `does not take a key for reused when a fault hit the save`() {
    for isDisturbed in [false, true] {
      var oracle = signedIn()
      oracle.saveBegins(user: "u", generation: 2, fingerprint: "f2")
      let judgements = oracle.saveEnds(
        .done, before: first, after: HalvesView(key: "k1", blob: "b2"), isDisturbed: isDisturbed)
      #expect(verdicts(judgements) == (isDisturbed ? [] : [.keyReused]))
    }
  }

  @Test func `says that no fault took a half only where none is missing`() {
    let cases: [(before: HalvesView, after: HalvesView, isDisturbed: Bool, Loss, says: String)] = [
      (first, first, false, [], "and no fault took a half"),
      // The app itself removes what does not open.
      (first, gone, false, [], "and no fault took a half"),
      (first, HalvesView(key: "k1", blob: nil), true, [], "but the blob is gone: "),
      (HalvesView(key: nil, blob: "b1"), gone, false, [], "but the key is gone: "),
      (gone, gone, false, [], "but the key and the blob are gone: "),
      (
        first, first, false, [.recency, .backup],
        "and a backup has put something older in its place"
      ),
    ]
    for (before, after, isDisturbed, loss, words) in cases {
      var oracle = signedIn()
      oracle.noteSettled()
      oracle.note(loss)
      let judgement = oracle.launch(
        .absent, before: before, after: after, isDisturbed: isDisturbed
      ).first
      #expect(judgement?.verdict == .falseSignOut)
      #expect(
        judgement?.because.contains("generation 1 was saved, \(words)") == true,
        "\(judgement?.because ?? "nothing")")
    }
  }
}
