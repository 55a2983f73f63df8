import Device
import JSON
import Phone
import Ports
import Terminal
import TestSupport
import Testing

@testable import Chaos
@testable import Reports

@Suite struct `A crash map` {
  /// Three operations behind K0, two behind B0 and the end.
  private let small: CrashMap = {
    var map = CrashMap()
    let verdicts: [(kill: Verdict, cuts: [Verdict])] = [
      (.recover, [.recover]), (.recover, [.recover]), (.falseSignOut, [.recover, .falseSignOut]),
      (.falseSignOut, [.falseSignOut]), (.falseSignOut, [.falseSignOut]), (.keep, [.keep]),
    ]
    for (index, shown) in verdicts.enumerated() {
      var spot = CrashMap.Spot(step: 2, title: "refresh to 2")
      spot.operation = index == 5 ? nil : index + 1
      spot.kind = index == 5 ? nil : index == 2 ? .sync : .write
      spot.half = index < 3 ? .key : .blob
      spot.points = index == 0 ? [.beforeKey] : index == 3 ? [.keyWritten, .beforeBlob] : []
      spot.point = index < 3 ? .beforeKey : .beforeBlob
      map.noteMoment(cuts: shown.cuts.count + 1, isSampled: index == 2, at: spot)
      map.note(shown.kill, .kill, at: spot)
      for cut in shown.cuts { map.note(cut, .powerCut, at: spot) }
    }
    return map
  }()

  @Test func `is a block for each step on a terminal, with all marks and points in words`() {
    let lines = CrashMapText(small).lines(for: console())
    #expect(
      lines.prefix(3) == [
        "  refresh to 2  K0 . . sync K1 B0 . . end",
        "  kill          |  r r F    |     F F k",
        "  power cut     |  r r f    |     F F k",
      ])
    let legend = lines.dropFirst(3).flatMap { $0.split(separator: " ") }.joined(separator: " ")
    for words in [
      "k keep", "r recover", "F fails always", "f fails in some", "K0 (before the key)",
      "K1 (key written)", "B0 (before the blob)",
    ] { #expect(legend.contains(words), "\(words)") }
    #expect(!legend.contains("cleanOut") && !legend.contains("cannot happen"))
  }

  @Test func `folds equal neighbours where it is too wide, and goes on below where it still is`() {
    let folded = CrashMapText(small).lines(for: console(columns: 39))
    #expect(
      folded.prefix(3) == [
        "  refresh to 2  K0 x2 sync K1 B0 x2 end",
        "  kill          |  r  F    |     F  k",
        "  power cut     |  r  f    |     F  k",
      ])
    let narrow = CrashMapText(small).lines(for: console(columns: 30))
    #expect(narrow.allSatisfy { $0.count <= 30 })
    #expect(narrow.count { $0.hasPrefix("  refresh to 2") } == 2)
  }

  @Test func `of nothing shows nothing`() {
    #expect(CrashMapText(CrashMap()).lines(for: console()).isEmpty)
    #expect(CrashMapSection(CrashMap()).parts.isEmpty)
  }

  @Test func `has the same counts on a page, folded and one by one`() throws {
    let page = try Outline(Markup("main", [:], CrashMapSection(small).parts).html)
    #expect(page.texts.contains("refresh to 2"))
    #expect(page.texts.contains("refresh to 2: all 6 places"))
    #expect(page.texts.contains("1 to 2") && page.texts.contains("3 sync, key half"))
    #expect(page.texts.contains(" falseSignOut 1, recover 1 (drawn)"))
    // Twice folded, of which each is once alone.
    #expect(page.texts.filter { $0 == " recover 2" }.count == 2)
    #expect(page.texts.contains(" falseSignOut 3, keep 1, recover 2"))
  }

  @Test func `is what another process wrote, and takes nothing else`() throws {
    let text = JSONWriter.text(of: small.json)
    #expect(try CrashMap(JSONReader.read(text)) == small)
    for (old, new) in [
      (#""kind":"sync""#, #""kind":"synk""#), (#""recover":1"#, #""recover":-1"#),
      (#""kill":"#, #""kil":"#), (#""cuts":2"#, #""cuts":2,"more":1"#),
    ] {
      let bad = text.replacing(old, with: new)
      try #require(bad != text, "\(old)")
      #expect(throws: JSONError.self) { try CrashMap(JSONReader.read(bad)) }
    }
  }

  // MARK: - Of an exploration

  private func explored(
    _ store: String, on phone: PhoneKind, _ change: (inout ExplorationPlan) -> Void = { _ in }
  ) throws -> Exploration {
    var plan = ExplorationPlan(phone: phone, store: store, seed: 7)
    (plan.cutCountMax, plan.dangers) = (4, [.crashes])
    change(&plan)
    return try Explorer(plan).run()
  }

  /// The keychain's service writes the item, and goes on when the app is killed; on an ideal device
  /// a power cut leaves the old item until the new one is durable.
  @Test func `knows a store of one item: nothing, then the item, and never less`() throws {
    let found = try explored("keychain-only", on: .ios) {
      $0.settings[ScenarioSettings.profile] = "strict"
    }
    let steps = Dictionary(grouping: found.map.places, by: \.spot.title)
    #expect(Set(steps.keys) == ["sign-in", "refresh to 2", "refresh to 3"])
    for (title, places) in steps {
      #expect(places.last?.spot.operation == nil && places.last?.spot.kind == nil, "\(title)")
      #expect(places.dropLast().compactMap(\.spot.operation) == Array(1..<places.count), "\(title)")
      // Before the item is there, a sign-in left nothing to judge, and a refresh the old session.
      let before: Verdict? = title == "sign-in" ? nil : .recover
      let kills = places.compactMap { $0.tallies[.kill] }
      #expect(kills.allSatisfy { $0[.keep] == 1 && $0.stateCount == 1 }, "\(title)")
      let cuts = places.compactMap { $0.tallies[.powerCut] }
      #expect(cuts.count == places.count && kills.count == places.count, "\(title)")
      let saved = try #require(cuts.firstIndex { $0[.keep] == 1 }, "\(title)")
      #expect(cuts[saved...].allSatisfy { $0[.keep] == 1 && $0.stateCount == 1 }, "\(title)")
      for cut in cuts[..<saved] {
        #expect((before.map { cut[$0] } ?? cut.quietCount) == 1, "\(title)")
      }
      #expect(saved > 0 && places[0].spot.points.contains(.beforeKey), "\(title)")
    }
  }

  @Test(arguments: PhoneKind.allCases)
  func `adds up to the crashes, the images and the causes`(phone: PhoneKind) throws {
    let found = try explored("recipe", on: phone)
    let map = found.map
    #expect(map.places.count == found.moments.count)
    let tries = map.places.reduce(map.total(.kill).stateCount) { $0 + $1.cutCount }
    #expect(tries == found.originCount)
    for (place, moment) in zip(map.places, found.moments) {
      let verdicts = moment.cut.map { found.images[$0].outcome?.verdict }
      let tally = try #require(place.tallies[.powerCut])
      #expect(tally.stateCount == verdicts.count)
      for verdict in Verdict.allCases {
        #expect(tally[verdict] == verdicts.count { $0 == verdict })
      }
    }
    // Each image was left by a crash that is on the map.
    let images = Set(found.moments.flatMap { [$0.killed].compactMap(\.self) + $0.cut })
    #expect(images.count == found.images.count)
    try expectCauses(of: found)
    #expect(map.total(.kill).failureCount > 0 && map.total(.powerCut).failureCount > 0)
  }

  /// Each failure on the map is counted by a cause, and the other way round.
  private func expectCauses(of found: Exploration) throws {
    for kind in DisturbanceKind.allCases {
      for verdict in Verdict.allCases where verdict.isFailure {
        let times = found.causes.filter { $0.kind == kind && $0.failure == verdict }
          .reduce(0) { $0 + $1.occurrenceCount }
        #expect(found.map.total(kind)[verdict] == times, "\(kind) \(verdict)")
      }
    }
  }

  @Test func `has a row of refused calls, and one of flipped bits at its end`() throws {
    let found = try explored("recipe", on: .ios) {
      ($0.dangers, $0.cutCountMax) = ([.crashes, .errors, .flips], 2)
    }
    #expect(Set(found.map.places.map(\.spot.title)).count == 4)
    #expect(found.map.kinds == [.kill, .powerCut, .callError, .bitFlip])
    #expect(found.map.total(.bitFlip).stateCount == found.flipCount)
    #expect(found.map.places.last?.spot.title == "all durable")
    // After a refused call the app starts at once, and but for the last step after the rest, too.
    let refused = found.map.places.reduce(into: 0) { sum, place in
      let count = place.tallies[.callError]?.stateCount ?? 0
      let isCounted = found.map.places.first { $0.spot.title == "refresh to 3" }?.spot.step ?? 0
      sum += place.spot.step < isCounted ? count / 2 : count
    }
    #expect(refused == found.errorCount)
    try expectCauses(of: found)
  }

  @Test func `is by points where calls overlap, over all their orders`() throws {
    let found = try explored("recipe", on: .ios) {
      ($0.writerCount, $0.orderCountMax, $0.cutCountMax) = (2, 12, 1)
    }
    #expect(found.map.places.count < found.moments.count)
    #expect(found.map.places.reduce(0) { $0 + $1.momentCount } == found.moments.count)
    #expect(found.map.total(.none).failureCount > 0)
    #expect(found.map.places.allSatisfy { $0.spot.operation == nil })
    try expectCauses(of: found)
  }

  @Test(arguments: PhoneKind.allCases)
  func `fits a terminal of any width, and its page has all of it`(phone: PhoneKind) throws {
    let found = try explored("durable", on: phone)
    for width in [40, 80, 100] {
      let lines = CrashMapText(found.map).lines(for: console(columns: width))
      #expect(lines.allSatisfy { $0.count <= width }, "\(width)")
      #expect(lines.contains { $0.hasPrefix("  refresh to 3  ") })
    }
    let html = try ExplorePage(
      ExploreReport(found), replaysIn: "lab-findings", version: "1"
    ).html()
    let page = try Outline(html)
    #expect(page.texts.contains("no violation: durable on \(phone.rawValue)"))
    #expect(html.utf8.count < 1 << 20)
    for name in ["http:", "https:", "url(", "@import", "file:"] {
      #expect(!html.contains(name), "\(name)")
    }
  }

  private func console(columns: Int = 100) -> Terminal.Console {
    Terminal.Console(output: Sink(columnCount: columns), errors: Sink(columnCount: columns))
  }

  private final class Sink: LineSink {
    let columnCount: Int?

    init(columnCount: Int) { self.columnCount = columnCount }

    var isTerminal: Bool { false }
    func write(_ bytes: [UInt8]) -> WriteOutcome { .written }
  }
}
