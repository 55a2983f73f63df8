import Backend
package import Device
package import Phone

/// One fault as asked for: which, when, how often, and with what values. Scenario files and
/// `lab inject` share this grammar.
package struct FaultRequest: Equatable, Sendable {
  package let kind: FaultKind
  /// `nil`: at once.
  package let trigger: TriggerExpression?
  package let times: Int
  package internal(set) var values: FaultValues

  /// - Parameters:
  ///   - text: `FAULT` or the short form `FAULT@TRIGGER`.
  ///   - at: The trigger, when it is not part of the text.
  ///   - times: How often it fires.
  ///   - parameters: Values by the names of ``FaultParameter``.
  /// - Throws: ``FaultGrammarError``.
  package init(
    _ text: String, at: String? = nil, times: Int = 1, parameters: [String: String] = [:]
  ) throws(FaultGrammarError) {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
      .map(String.init)
    if parts.count > 1, parts[1].isEmpty {
      throw FaultGrammarError("'\(text)' names no moment behind the '@'")
    }
    guard let word = parts.first, let kind = FaultKind(rawValue: word) else {
      if let other = FaultKind.otherWords(for: parts.first ?? "") {
        throw FaultGrammarError("no fault '\(parts.first ?? "")'; here that is \(other)")
      }
      throw FaultGrammarError(
        unknown: "fault", parts.first ?? "", among: FaultKind.allCases.map(\.rawValue))
    }
    if parts.count > 1, at != nil {
      throw FaultGrammarError("'\(text)' and 'at' both say when; give one")
    }
    guard times >= 1 else {
      throw FaultGrammarError("a fault fires at least once, not \(times) times")
    }
    self.kind = kind
    self.times = times
    var trigger: TriggerExpression?
    if let when = at ?? (parts.count > 1 ? parts[1] : nil) {
      trigger = try kind.isOnServer ? TriggerExpression(request: when) : TriggerExpression(when)
    } else if !kind.isOnServer, !kind.canHappenNow {
      throw FaultGrammarError("\(word) needs a moment, such as \(word)@\(kind.exampleTrigger)")
    }
    values = try FaultValues(kind, parameters)
    if kind.isOnServer { trigger = trigger ?? Self.impliedTrigger(kind, values) }
    self.trigger = trigger
    if trigger == nil, times > 1, kind.isOnServer {
      throw FaultGrammarError("\(word) happens at once, so once; with 'at' or 'path' at requests")
    }
    try checkEffect()
  }

  /// The moment of a server's fault that names none: the next request that fits, or at once.
  private static func impliedTrigger(
    _ kind: FaultKind, _ values: FaultValues
  ) -> TriggerExpression? {
    let isPlaced = values.path != "*" || values.method != nil
    return kind.canHappenNow && !isPlaced ? nil : .request(count: 1)
  }

  var impliedTrigger: TriggerExpression? { Self.impliedTrigger(kind, values) }

  /// The same fault at one point of several.
  package func at(_ trigger: TriggerExpression) -> FaultRequest {
    FaultRequest(kind: kind, trigger: trigger, times: times, values: values)
  }

  /// The same fault with other survivors.
  func with(_ survivors: Survivors) -> FaultRequest {
    var changed = values
    changed.survivors = survivors
    return FaultRequest(kind: kind, trigger: trigger, times: times, values: changed)
  }

  private init(kind: FaultKind, trigger: TriggerExpression?, times: Int, values: FaultValues) {
    self.kind = kind
    self.trigger = trigger
    self.times = times
    self.values = values
  }

  /// The fault for the device's board; `nil` when it happens at once, stands for several, or belongs to
  /// a server.
  ///
  /// - Parameter halves: The durability domains of each half, which `survivors` may name by it.
  /// - Returns: The fault.
  package func armed(_ halves: [Half: [String]] = [:]) -> ArmedFault? {
    guard let trigger = trigger?.armed else { return nil }
    return ArmedFault(
      name: kind.rawValue, trigger: trigger,
      effect: effect(values.survivors.naming(halves)), times: times)
  }

  private func effect(_ survivors: Survivors) -> ArmedFault.Effect {
    switch kind {
    case .kill: .killAfter
    case .killBefore: .killBefore
    case .powerCut: .powerCut(survivors)
    case .tornWrite: .torn(sectorCount: values.sectors, survivors)
    case .callError: .error(values.code ?? .inputOutput)
    case .shortRead, .shortWrite: .short(bytes: values.bytes)
    case .lie: .lie
    case .delay: .delay(milliseconds: values.delayMs)
    case .hold: .hold
    case .bitFlip: .alter(.flipBit(path: values.path, byte: values.byte, bit: values.bit))
    case .truncate: .alter(.truncate(path: values.path, to: values.length))
    case .keychainReset, .keystoreLoss, .lock, .unlock, .reboot, .prewarm, .uninstall, .install,
      .clearData, .biometricChange, .diskFull, .diskFree:
      .event
    case .loseRequest, .refuse, .loseReply, .hang, .lateReply, .errorReply, .htmlReply,
      .emptyReply, .cutReply, .noVersion, .numberCode, .textCode, .expiredTokens, .changeAddress,
      .serverClock, .revokeSession, .rotateElsewhere, .addFactor, .removeFactors, .deleteUser,
      .banUser:
      preconditionFailure("no fault of a server waits for an operation of a device")
    }
  }

  /// A fault must be able to happen to the operation that it waits for.
  private func checkEffect() throws(FaultGrammarError) {
    guard case .call(let operation, _, _)? = trigger else {
      if kind.group == .call, kind != .delay, kind != .hold, case .point? = trigger {
        throw FaultGrammarError(
          "\(kind.rawValue) hits a file call, not a point; write \(kind.rawValue)@\(kind.exampleTrigger)"
        )
      }
      return
    }
    guard effect(values.survivors).applies(to: operation), kind != .shortRead || operation == .read,
      kind != .shortWrite || operation == .write
    else {
      throw FaultGrammarError("\(kind.rawValue) cannot happen to \(operation.rawValue)")
    }
    if let code = values.code { try LegalErrors.check(code, for: operation) }
  }
}

extension FaultRequest: CustomStringConvertible {
  package var description: String {
    serverFault?.description ?? kind.rawValue + (trigger.map { " at \($0)" } ?? "")
  }
}

extension FaultKind {
  /// What stands here for a word of another list: a fault of stories, a status, a step of scenarios.
  fileprivate static func otherWords(for word: String) -> String? {
    if let status = Int(word), (400...599).contains(status) {
      return "\(Self.refuse.rawValue) with status \(status)"
    }
    guard word == SessionFault.Kind.clock.rawValue else { return nil }
    return "\(Self.serverClock.rawValue) for a server's; a phone's is a step, set-clock"
  }

  /// A trigger that fits, for messages.
  package var exampleTrigger: String {
    switch self {
    case .shortRead: "read:manifest.json"
    case .callError, .shortWrite, .tornWrite, .lie: "write:.dat.nosync*"
    default: isOnServer ? "2" : "K1"
    }
  }
}
