import Chaos
import JSON
import Phone
import Reports
import Session
import Terminal
import Testing

@Suite struct `A comparison` {
  private func tallies(_ plan: Comparison.Plan) throws -> [Int: StateTally] {
    let comparison = Comparison(plan)
    return try plan.units.enumerated().reduce(into: [:]) { tallies, unit in
      let tally = try comparison.run(unit.element)
      // As it comes from another process.
      let read = try StateTally(JSONReader.read(JSONWriter.text(of: tally.json)))
      #expect(read == tally)
      tallies[unit.offset] = read
    }
  }

  private func tally(
    _ fault: FaultKind, _ store: String, on phone: PhoneKind = .ios
  ) throws -> StateTally {
    var plan = Comparison.Plan(stores: [store])
    (plan.phones, plan.faults, plan.cutCountMax) = ([phone], [fault], 2)
    return try #require(try tallies(plan)[0])
  }

  @Test(arguments: [
    (#"{"sampled":7,"partial":false,"outcomes":{"keep":3}}"#, true),
    (#"{"sampled":9223372036854775807,"partial":false,"outcomes":{"keep":3}}"#, false),
    (#"{"sampled":7,"partial":false,"outcomes":{"keep":9223372036854775807}}"#, false),
  ]) func `takes from another process only what a run can count`(text: String, isTaken: Bool) {
    if isTaken {
      #expect(throws: Never.self) { try StateTally(JSONReader.read(text)) }
    } else {
      #expect(throws: JSONError.self) { try StateTally(JSONReader.read(text)) }
    }
  }

  @Test(arguments: [FaultKind.kill, .powerCut]) func `counts what two halves lose`(
    fault: FaultKind
  ) throws {
    let tally = try tally(fault, "recipe")
    #expect(tally[.falseSignOut] > 0)
    #expect(tally.failureCount > 0 && tally.failureCount < tally.stateCount)
    #expect(tally.worst?.isFailure == true)
  }

  @Test(arguments: [FaultKind.kill, .powerCut]) func `counts no failure of one half`(
    fault: FaultKind
  ) throws {
    let tally = try tally(fault, "keychain-only")
    #expect(tally.stateCount > 3 && tally.failureCount == 0)
    #expect(tally.worst?.isFailure == false)
  }

  @Test func `counts garbage that a flipped bit makes, where nothing is authenticated`() throws {
    let recipe = try tally(.bitFlip, "recipe")
    #expect(recipe.failureCount > 0)
    let durable = try tally(.bitFlip, "durable")
    #expect(durable[.garbageAccepted] == 0 && durable.stateCount > 10)
  }

  @Test func `tries every error that a call can give, at every operation`() throws {
    let errors = try tally(.callError, "durable")
    let kills = try tally(.kill, "durable")
    #expect(errors.stateCount > kills.stateCount)
  }

  @Test func `says where a fault cannot happen`() throws {
    #expect(try tally(.keychainReset, "durable", on: .android).impossible != nil)
    #expect(try tally(.keystoreLoss, "durable", on: .ios).impossible != nil)
    #expect(try tally(.hold, "durable").impossible != nil)
    let tally = try tally(.keychainReset, "recipe", on: .ios)
    #expect(tally.impossible == nil && tally.stateCount == 3)
  }

  @Test func `shows each number once, in a table and on a page that says the same`() throws {
    var plan = Comparison.Plan(stores: ["recipe", "keychain-only"])
    (plan.phones, plan.faults) = ([.ios], [.kill, .lock, .hold])
    let report = CompareReport(plan, try tallies(plan))
    let rows = try #require(report.json["rows"]?.list)
    #expect(rows.count == 6)
    let kill = try #require(rows.first { $0["fault"]?.text == "kill" })
    let failures = try #require(kill["failures"]?.integer)
    let states = try #require(kill["states"]?.integer)
    let cell = "falseSignOut \(failures)/\(states)"
    let console = Console(output: NoSink(), errors: NoSink())
    let lines = report.lines(for: console)
    #expect(lines.contains { $0.contains(cell) } && lines.allSatisfy { $0.count <= 100 })
    let shares = try ["recipe", "keychain-only"].map { store in
      let total = try #require(report.json["totals"]?.list?.first { $0["store"]?.text == store })
      let failures = try #require(total["failures"]?.integer)
      let states = try #require(total["states"]?.integer)
      return "\(store) in \(failures) of \(states)"
    }
    #expect(lines.dropLast().last == "failed states: \(shares.joined(separator: ", "))")
    #expect(lines.last?.hasPrefix("next: ./lab explore --store recipe --phone ios ") == true)
    let page = try ComparePage(report, version: "1").html()
    #expect(page.contains(#"<td class="fail"><b>f</b> \#(cell)</td>"#))
    for name in ["http://", "https://", "src="] { #expect(!page.contains(name)) }
    // Its data and our own script.
    #expect(page.split(separator: "<script").count == 3)
    #expect(page.contains(#"<html lang="en">"#) && page.contains(#"<th scope="row">"#))
  }

  @Test func `without a failure names no store`() throws {
    var plan = Comparison.Plan(stores: ["keychain-only"])
    (plan.phones, plan.faults) = ([.ios], [.kill])
    let report = CompareReport(plan, try tallies(plan))
    let lines = report.lines(for: Console(output: NoSink(), errors: NoSink()))
    #expect(lines.suffix(2) == ["No store failed in any state.", "next: ./lab chaos"])
  }
}
