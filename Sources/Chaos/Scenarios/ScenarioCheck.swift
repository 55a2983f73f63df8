import JSON
import Phone
import Session

/// What only the whole of a file gets wrong: a setting that a case cannot use, and cases that are none.
struct ScenarioCheck {
  private typealias Settings = ScenarioSettings

  let phones: [PhoneKind]
  let stores: [String]
  let settings: ScenarioSettings
  let variations: [Scenario.Variation]
  let steps: [Scenario.Step]
  let expectations: [Scenario.Expectation]

  /// - Parameter node: The whole file.
  /// - Throws: `JSONError` at what is wrong, with why.
  func check(_ node: JSONNode) throws(JSONError) {
    if phones.isEmpty, let node = node["phones"] {
      let all = PhoneKind.allCases.map(\.rawValue).joined(separator: " ")
      throw node.error("no case would run: 'phones' names none", allowed: all)
    }
    if let steps = node["steps"] { try checkClients(steps) }
    for (member, isUpdate) in Self.settings(in: node) {
      guard let key = Settings.key(member.key),
        let problem = isUpdate
          ? problem(ofUpdate: key, to: member.node.value.text) : problem(of: key)
      else { continue }
      throw JSONError(problem, at: member.keyRange)
    }
    for member in try node["vary"]?.members() ?? [] { try checkVariation(member) }
    for member in Self.members(of: node["expect"]) {
      for row in Self.members(of: member.node) { try checkLength(row.node) }
    }
    guard let expect = node["expect"], !runsAnyCase else { return }
    throw expect.error("no case would run: every row that a store comes to is null")
  }

  // MARK: - Clients

  /// Such an app is followed in pieces of half a minute.
  private static let clientMsMax: Int64 = 7 * 86_400_000

  /// Steps that only an app with its client can do need one, in every case.
  private func checkClients(_ node: JSONNode) throws(JSONError) {
    guard steps.contains(where: { $0.readsSession(hasClient: hasClientAlways) }) else {
      throw node.error("no step reads the session; end with { do: \"launch\" }")
    }
    if hasClientSomewhere, let step = steps.first(where: { $0.longestMs > Self.clientMsMax }) {
      throw node.error(
        "the step in line \(step.line) takes longer than "
          + "\(Quantity.text(ofMs: Self.clientMsMax).dropFirst()), the most that an app with its client is "
          + "followed through")
    }
    guard !hasClientAlways, let step = steps.first(where: \.needsClient) else { return }
    let isRefresh = step.action == .refresh(to: nil)
    throw node.error(
      "the step in line \(step.line) needs "
        + (isRefresh ? "'to', the generation; or it needs " : "") + "an app with its client: "
        + "settings: { client: \"seed\" }, or vary: { client: [\"seed\", \"hardened\"] }")
  }

  private static let reference = Settings.client.values[0]
  private var hasClientAlways: Bool { !values(of: Settings.client).contains(Self.reference) }
  private var hasClientSomewhere: Bool { values(of: Settings.client) != [Self.reference] }

  /// What a setting is in the cases.
  private func values(of key: ScenarioSettings.Key) -> [String] {
    let chosen = variations.flatMap(\.alternatives).filter { $0.setting == key }.map(\.name)
    return chosen.isEmpty ? [settings[key]] : chosen
  }

  // MARK: - Lengths

  /// What only somebody who looks can be shown, and each look shows one of them at most.
  private static let seen: Set<String> = Set(
    [Verdict.keep, .recover, .defer, .cleanOut].map(\.rawValue))

  /// A row with more of them than anybody looks expects what cannot be.
  private func checkLength(_ row: JSONNode) throws(JSONError) {
    guard case .list(let words) = row.content else { return }
    let count = words.count { word in
      word.value.text?.split(separator: "|").allSatisfy { Self.seen.contains(String($0)) } ?? false
    }
    let lookCount = steps.reduce(0) { $0 + $1.lookCount(hasClient: hasClientSomewhere) }
    guard count > lookCount else { return }
    throw words[lookCount].error(
      "\(count) verdicts expected, and the steps give \(lookCount) at most; "
        + Scenario.Expected.spelling)
  }

  // MARK: - Settings

  /// Every setting that a file makes, and whether an update makes it.
  private static func settings(in node: JSONNode) -> [(member: JSONMember, isUpdate: Bool)] {
    let varied = members(of: node["vary"]).filter { member in
      if case .list = member.node.content { true } else { false }
    }
    return (members(of: node["settings"]) + varied).map { ($0, false) }
      + updates(in: node["steps"]).map { ($0, true) }
  }

  private static func members(of node: JSONNode?) -> [JSONMember] {
    guard case .object(let members)? = node?.content else { return [] }
    return members
  }

  private static func updates(in steps: JSONNode?) -> [JSONMember] {
    guard case .list(let nodes)? = steps?.content else { return [] }
    return nodes.flatMap { members(of: $0["settings"]) + updates(in: $0["fault"]) }
  }

  /// Why a case cannot use a setting; `nil` when each can.
  private func problem(of key: ScenarioSettings.Key) -> JSONProblem? {
    if Settings.phoneKeys.contains(key) { return problem(ofPhones: key) }
    if Self.ofServer.contains(key), !hasClientAlways {
      return .rule(
        "a case cannot use '\(key.name)': the reference app has no server", allowed: Self.clients)
    }
    if key == Settings.webCrypto, !hasClientAlways {
      return .rule(
        "a case cannot use '\(key.name)': the reference app has no PKCE", allowed: Self.clients)
    }
    if key == Settings.rotation || key == Settings.refreshTokens,
      values(of: Settings.backend).contains(AppBackend.betterAuth.rawValue)
    {
      return .rule(
        "a case cannot use '\(key.name)': the tokens of better-auth are not refreshed",
        allowed: "it with backend: \(AppBackend.gotrue.rawValue)")
    }
    if key == Settings.jar, !keepsJar {
      return .rule(
        "a case cannot use 'jar': neither its store nor its app keeps cookies in one",
        allowed: "it with stores: [\"\(StoreKind.chunked.name)\"], or with a client and backend: "
          + AppBackend.betterAuth.rawValue)
    }
    if key == Settings.size, hasClientSomewhere {
      return .rule(
        "a case cannot use 'size': the server makes the session of an app with its client",
        allowed: "it with client: \(Self.reference)")
    }
    return nil
  }

  private static let ofServer = [
    Settings.backend, Settings.rotation, Settings.refreshTokens, Settings.tokenCallsMax,
  ]

  private func problem(ofUpdate key: ScenarioSettings.Key, to value: String?) -> JSONProblem? {
    let changesClient =
      key == Settings.client && (!hasClientAlways || value == Self.reference)
    guard changesClient || Self.ofServer.contains(key) else { return problem(of: key) }
    return .rule(
      "an update changes the app's version, not its server or whether it has one",
      allowed: "'\(key.name)' in 'settings' or 'vary' of the scenario")
  }

  private static let clients =
    "it with client: " + Settings.client.values.dropFirst().joined(separator: " or ")

  private func problem(ofPhones key: ScenarioSettings.Key) -> JSONProblem? {
    let own = PhoneKind.allCases.filter { phone in
      phone.knobs.contains { $0.name == key.option }
    }
    guard !own.contains(where: phones.contains) else { return nil }
    return .rule(
      "a case cannot use '\(key.name)': no phone of this scenario has it",
      allowed: "it with phones: " + own.map(\.rawValue).joined(separator: " "))
  }

  private var keepsJar: Bool {
    stores.contains(StoreKind.chunked.name)
      || hasClientAlways && values(of: Settings.backend) == [AppBackend.betterAuth.rawValue]
  }

  // MARK: - Cases

  private func checkVariation(_ member: JSONMember) throws(JSONError) {
    guard let variation = variations.first(where: { $0.name == member.key }) else { return }
    guard let first = variation.alternatives.first else {
      throw member.node.error("no case would run: '\(member.key)' has no alternative")
    }
    guard first.fault != nil, !Self.names(member.key, in: steps) else { return }
    throw JSONError(
      .rule(
        "no step has the faults of '\(member.key)', so no case would meet one",
        allowed: "a step with vary: \"\(member.key)\""),
      at: member.keyRange)
  }

  private static func names(_ variation: String, in steps: [Scenario.Step]) -> Bool {
    steps.contains { step in
      if case .disturbance(let inner) = step.action { return names(variation, in: inner) }
      return step.variation == variation
    }
  }

  /// Whether some store has a row that is not null, its own or that of every correct store.
  private var runsAnyCase: Bool {
    let all = stores.isEmpty ? StoreKind.all.map(\.name) : stores
    let good = rows(of: Scenario.goodStore)
    return all.contains { store in
      let own = rows(of: store)
      let more = own.contains(where: \.isRest) ? [] : good
      return (own + more).contains { $0.expected != .notRun }
    }
  }

  private func rows(of store: String) -> [Scenario.Expectation.Row] {
    expectations.first { $0.store == store }?.rows ?? []
  }
}
