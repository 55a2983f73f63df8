package import JSON
import Simulation

/// The windows of a workload on a simulated phone, in every order of its overlapping calls.
package struct OrderLint {
  /// What all orders showed; a window is counted once for each order that has it.
  package private(set) var report = LintReport()
  package private(set) var orderCount = 0
  /// Whether every order was played.
  package private(set) var isExhaustive = true

  /// Plays the histories of a plan, without crashes.
  ///
  /// - Parameters:
  ///   - plan: Which store, phone, and how many calls at once.
  ///   - shouldStop: Asked before each order.
  /// - Throws: ``PhoneHostError`` when the lab could not play one.
  package init(_ plan: ExplorationPlan, shouldStop: () -> Bool) throws(PhoneHostError) {
    for history in ExploredHistory.beginnings(of: plan) {
      var search = OrderSearch(countMax: history.isOpenOverlap ? plan.orderCountMax : 1)
      while !shouldStop(), let choices = try search.next() {
        report.merge(try Self.report(of: history, plan, choices), shownBy: plan.command)
        orderCount += 1
      }
      isExhaustive = isExhaustive && search.untriedCount == 0 && !shouldStop()
    }
    report.sort()
  }

  /// `lab.lint/1`, with how many orders were played.
  package var json: JSONValue {
    guard case .object(var fields) = report.json() else {
      preconditionFailure("a report is an object")
    }
    fields["orders"] = .integer(orderCount)
    fields["exhaustive"] = .bool(isExhaustive)
    return .object(fields)
  }

  private static func report(
    of history: ExploredHistory, _ plan: ExplorationPlan, _ choices: Choices
  ) throws(PhoneHostError) -> LintReport {
    guard let one = history.played else { return LintReport() }
    let phone = try SimulatedPhone(PhoneSetup(plan.phone, one.settings, seed: plan.seed))
    phone.overlapChoices = choices
    let player = CasePlayer(
      on: phone, launch: AppLaunch(store: plan.store, settings: one.settings))
    try player.goThrough(one.steps)
    let device = phone.withDevice { $0 }
    return Linter.report(on: device, try phone.inventory())
  }
}
