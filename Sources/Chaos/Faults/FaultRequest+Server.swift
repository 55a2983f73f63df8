package import Backend

extension FaultRequest {
  /// The switch for a server that waits for its requests; `nil` for a fault that happens at once, and
  /// for one of a phone.
  package var serverFault: ServerFault? {
    guard case .request(let count)? = trigger, let effect = serverEffect else { return nil }
    return ServerFault(
      effect, on: values.path == "*" ? nil : values.path, method: values.method,
      occurrence: count, times: times, user: values.user)
  }

  /// What goes wrong on a server; `nil` for a fault of a phone.
  private var serverEffect: ServerFault.Effect? {
    ServerFault.Kind(rawValue: kind.rawValue).map { kind in
      switch kind {
      case .loseRequest: .loseRequest
      case .refuse: .refuse(status: status, code: values.serverCode)
      case .loseReply: .loseReply
      case .hang: .hang
      case .lateReply: .lateReply(ms: Int64(values.delayMs))
      case .errorReply: .errorReply(status: status)
      case .htmlReply: .htmlReply(status: values.status)
      case .emptyReply: .emptyReply
      case .cutReply: .cutReply
      case .noVersion: .noVersion
      case .numberCode: .numberCode
      case .textCode: .textCode
      case .expiredTokens: .expiredTokens
      case .changeAddress: .changeAddress(values.address)
      case .serverClock: .serverClock(ms: Int64(values.delayMs))
      case .revokeSession: .elsewhere(.revokeSession)
      case .rotateElsewhere: .elsewhere(.rotate(times: values.rotations))
      case .addFactor: .elsewhere(.addFactor)
      case .removeFactors: .elsewhere(.removeFactors)
      case .deleteUser: .elsewhere(.deleteUser)
      case .banUser: .elsewhere(.banUser)
      }
    }
  }

  private var status: Int {
    guard let status = values.status else { preconditionFailure("only a page may have none") }
    return status
  }

  /// Arms the fault on a server, or has it happen there.
  ///
  /// - Parameter server: Where.
  /// - Returns: What was armed; or what the server lost and what it still holds.
  /// - Throws: ``FaultGrammarError`` for a fault of a phone, for one that the server has no use for, and
  ///   for a request or a user that it does not know. Nothing was armed or done then.
  @discardableResult
  package func inject(into server: any FaultyService) throws(FaultGrammarError) -> InjectReport {
    guard let effect = serverEffect else {
      throw FaultGrammarError("\(kind.rawValue) happens to a phone, not to a server")
    }
    try check(effect, for: server)
    if let fault = serverFault {
      var report = InjectReport(fault: kind.rawValue, status: "armed")
      report.id = server.faults.arm(fault)
      report.moment = fault.moment
      report.rule = kind.rule
      return report
    }
    let before = server.holdings
    server.happen(effect, to: values.user)
    let after = server.holdings
    var report = InjectReport(fault: kind.rawValue, status: "done")
    report.removed = before.filter { old in
      !after.contains { $0.kind == old.kind && $0.name == old.name }
    }.map(StoredItem.init)
    report.remains = after.map(StoredItem.init)
    report.rule = kind.rule
    return report
  }

  private func check(
    _ effect: ServerFault.Effect, for server: any FaultyService
  ) throws(FaultGrammarError) {
    let kinds = type(of: server)
    guard !kinds.unknownFaults.contains(effect.kind) else {
      let known = ServerFault.Kind.allCases.filter { !kinds.unknownFaults.contains($0) }
      throw FaultGrammarError(
        "this server has no use for \(kind.rawValue)",
        allowed: known.map(\.rawValue).joined(separator: " "))
    }
    if values.path != "*", !kinds.serves(values.path, method: values.method) {
      let method = values.method ?? ""
      let paths = kinds.routes.filter { $0.hasPrefix(method) }.map { route in
        String(route.drop { $0 != " " }.dropFirst())
      }
      throw FaultGrammarError(
        unknown: method.isEmpty ? "request to" : "\(method) to",
        String(values.path.prefix { $0 != "?" }),
        among: paths.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
    }
    guard kind.group == .server, effect.kind != .serverClock else { return }
    guard trigger != nil && values.user == nil || !server.accounts.isEmpty else {
      throw FaultGrammarError(
        "\(kind.rawValue) happens to an account, and the server has none yet", isRefusal: true)
    }
    if let user = values.user, !server.accounts.contains(user) {
      throw FaultGrammarError(unknown: "account", user, among: server.accounts)
    }
  }
}

extension StoredItem {
  fileprivate init(_ holding: ServerHolding) {
    place = holding.kind
    name = holding.name
    note = holding.note
  }
}
