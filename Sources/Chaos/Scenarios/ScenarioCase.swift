import Ports

/// One way through a scenario: all variations decided, all faults placed.
package struct ScenarioCase: Equatable, Sendable {
  /// What tells this case from the others: names of alternatives, and the point of `each`.
  package let parts: [String]
  package let settings: ScenarioSettings
  package let steps: [Scenario.Step]

  /// `all` when there is nothing to tell apart.
  package var name: String { parts.isEmpty ? "all" : parts.joined(separator: " ") }

  /// Whether it has all parts of such a text as `seed+K1`.
  func isMeant(by text: String?) -> Bool {
    text.map { $0.split(separator: "+").allSatisfy { parts.contains(String($0)) } } ?? true
  }

  /// The kinds of fault in it, each once.
  package var faultKinds: [FaultKind] {
    let kinds = steps.flatMap { step -> [FaultKind] in
      if case .happen(let request) = step.action { return [request.kind] }
      return step.fault.map { [$0.kind] } ?? []
    }
    return kinds.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The position of the step whose fault is to hit each point, or each operation.
  package var spreadStep: Int? { steps.firstIndex { $0.fault?.trigger?.isSpread == true } }

  /// The same case without that fault: it shows what is reached.
  package var recording: ScenarioCase {
    let quiet = steps.map { step in
      step.fault?.trigger?.isSpread == true ? Scenario.Step(step.action, line: step.line) : step
    }
    return ScenarioCase(parts: parts, settings: settings, steps: quiet)
  }

  /// One case for each point or operation that the recording reached, in order.
  package func cases(at points: [TriggerExpression]) -> [ScenarioCase] {
    guard let index = spreadStep, let fault = steps[index].fault else { return [self] }
    return points.map { point in
      var placed = steps
      placed[index] = Scenario.Step(
        steps[index].action, fault: fault.at(point), line: steps[index].line)
      return ScenarioCase(parts: parts + [point.text], settings: settings, steps: placed)
    }
  }
}

extension Scenario {
  /// The store whose row says what is right for a store of the lab, or for the program in its place.
  func expectedStore(for store: String, _ foreign: ForeignApp?) -> String {
    guard let foreign else { return store }
    return isOrdered ? Self.goodStore : foreign.expectAs ?? Self.goodStore
  }

  /// Whether calls overlap in an order that the file gives. A program of somebody else's has its own,
  /// so that what a case finds in a store by its order is not expected of a program.
  private var isOrdered: Bool {
    steps.contains { step in
      if case .overlap = step.action { true } else { false }
    }
  }

  /// The cases before `each` is spread out, one for each combination of alternatives.
  package var cases: [ScenarioCase] {
    combinations.map { combination in
      ScenarioCase(
        parts: combination.values.map(\.name), settings: settings(of: combination),
        steps: Self.flatten(steps) { name in combination.fault(of: name) })
    }
  }

  /// The same without faults and disturbances, for each combination of settings; must end `keep`.
  package var controls: [ScenarioCase] {
    var controls: [ScenarioCase] = []
    for combination in combinations {
      let parts = combination.values.filter { $0.setting != nil }.map(\.name)
      let control = ScenarioCase(
        parts: parts, settings: settings(of: combination), steps: Self.quiet(steps))
      if !controls.contains(control) { controls.append(control) }
    }
    return controls
  }

  private struct Combination {
    var names: [String] = []
    var values: [Alternative] = []

    func fault(of name: String) -> FaultRequest? {
      names.firstIndex(of: name).flatMap { values[$0].fault }
    }
  }

  private var combinations: [Combination] {
    variations.reduce([Combination()]) { combinations, variation in
      combinations.flatMap { combination in
        variation.alternatives.map { alternative in
          Combination(
            names: combination.names + [variation.name],
            values: combination.values + [alternative])
        }
      }
    }
  }

  private func settings(of combination: Combination) -> ScenarioSettings {
    var chosen = settings
    for value in combination.values {
      if let key = value.setting { chosen[key] = value.name }
    }
    return chosen
  }

  static func flatten(
    _ steps: [Step], _ fault: (String) -> FaultRequest?
  ) -> [Step] {
    steps.flatMap { step in
      if case .disturbance(let inner) = step.action { return flatten(inner, fault) }
      return [
        Step(step.action, fault: step.fault ?? step.variation.flatMap(fault), line: step.line)
      ]
    }
  }

  private static func quiet(_ steps: [Step]) -> [Step] {
    steps.compactMap { step in
      if case .disturbance = step.action { return nil }
      return Step(step.action, line: step.line)
    }
  }
}
