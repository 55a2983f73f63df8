import Chaos
import Phone

/// Where on a page a run is told: the card of its cause.
struct CardAnchors {
  private struct Key: Hashable {
    let scenario: String
    let name: String
    let phone: PhoneKind
    let store: String

    init(_ run: CaseRun) {
      (scenario, name, phone, store) = (run.scenario, run.name, run.phone, run.store)
    }
  }

  private var ids: [Key: String] = [:]

  /// - Parameters:
  ///   - findings: The causes of the page's first findings, in their order.
  ///   - losses: Those of its known losses.
  init(
    findings: [[(run: CaseRun, scenario: Scenario)]], losses: [[(run: CaseRun, scenario: Scenario)]]
  ) {
    for (word, causes) in [(ReportPage.loss, losses), (ReportPage.finding, findings)] {
      for (index, cause) in causes.enumerated() {
        for one in cause { ids[Key(one.run)] = ReportPage.id(word, index) }
      }
    }
  }

  /// The id of the card; `nil` for a run that went well, or as nobody has told.
  subscript(run: CaseRun) -> String? { run.failure == nil ? nil : ids[Key(run)] }
}
