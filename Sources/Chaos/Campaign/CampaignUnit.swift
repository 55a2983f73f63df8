package import Phone

/// A piece of a campaign that is done apart from all others, in any process.
package enum CampaignUnit: Equatable, Sendable {
  /// A scenario of the gallery, or of earlier findings, by its position.
  case scenario(Int, isOld: Bool, PhoneKind, store: String, Tier)
  /// A replay of earlier findings, by its position.
  case replay(Int, Tier)
  case exploration(PhoneKind, store: String)
  case history(Int, PhoneKind, store: String, Tier)
  case canary(PhoneKind, Tier)

  package var phase: Campaign.Phase {
    switch self {
    case .scenario(_, let isOld, _, _, _): isOld ? .oldFindings : .gallery
    case .replay: .oldFindings
    case .exploration: .exploration
    case .history: .random
    case .canary: .canary
    }
  }
}

extension CampaignUnit {
  /// In which order the units are done: a budget may be over before the last. The engines prove first
  /// that they see anything; and the tier that looks at most in a second comes first.
  package var turn: Int {
    switch self {
    case .canary: 0
    case .scenario(_, isOld: true, _, _, _), .replay: 1
    case .scenario(_, _, _, _, .simulated): 2
    case .exploration: 3
    case .scenario: 4
    case .history: 5
    }
  }
}

extension CampaignUnit: CustomStringConvertible {
  package var description: String {
    switch self {
    case .scenario(let index, _, let phone, let store, let tier):
      "\(phase.rawValue) \(index + 1) \(phone.rawValue) \(store) \(tier.rawValue)"
    case .replay(let index, let tier): "\(phase.rawValue), replay \(index + 1) \(tier.rawValue)"
    case .exploration(let phone, let store): "\(phase.rawValue) \(phone.rawValue) \(store)"
    case .history(let number, let phone, let store, let tier):
      "\(phase.rawValue) \(number) \(phone.rawValue) \(store) \(tier.rawValue)"
    case .canary(let phone, let tier): "\(phase.rawValue) \(phone.rawValue) \(tier.rawValue)"
    }
  }
}

extension Campaign.Plan {
  /// All units, in the order of the report.
  ///
  /// - Parameter gallery: The scenarios of the gallery.
  /// - Returns: The units; their numbers are what a ``Shard`` takes.
  package func units(gallery: [Scenario]) -> [CampaignUnit] {
    scenarioUnits(oldFindings.map(\.scenario), isOld: true) + replayUnits
      + scenarioUnits(gallery, isOld: false)
      + searchedStores.flatMap { store in phones.map { .exploration($0, store: store) } }
      + historyUnits
      + tiers.flatMap { tier in phones.map { .canary($0, tier) } }
  }

  private func scenarioUnits(_ scenarios: [Scenario], isOld: Bool) -> [CampaignUnit] {
    var units: [CampaignUnit] = []
    for tier in tiers {
      for phone in phones {
        for (index, scenario) in scenarios.enumerated() where scenario.phones.contains(phone) {
          for store in galleryStores where isMeant(scenario, for: store) {
            units.append(.scenario(index, isOld: isOld, phone, store: store, tier))
          }
        }
      }
    }
    return units
  }

  private func isMeant(_ scenario: Scenario, for store: String) -> Bool {
    foreign(behind: store).map(scenario.isMeant) ?? scenario.isMeant(for: store)
  }

  private var replayUnits: [CampaignUnit] {
    tiers.flatMap { tier in
      oldReplays.indices.filter { phones.contains(oldReplays[$0].history.phone) }
        .map { .replay($0, tier) }
    }
  }

  /// The mounted tier gets the first numbers, so that it draws the same with and without the other.
  private var historyUnits: [CampaignUnit] {
    var units: [CampaignUnit] = []
    guard !randomStores.isEmpty else { return [] }
    for tier in tiers {
      for _ in 0..<(historyCounts[tier] ?? 0) {
        let number = units.count
        units.append(
          .history(
            number, phones[number % phones.count],
            store: randomStores[number / phones.count % randomStores.count], tier))
      }
    }
    return units
  }
}
