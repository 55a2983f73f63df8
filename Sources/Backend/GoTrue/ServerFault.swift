/// A switch on a server: which request it meets, and what happens then.
package struct ServerFault: Equatable, Sendable {
  package enum Effect: Equatable, Sendable {
    // The request is not handled.

    /// The connection ends before anything is done.
    case loseRequest
    case refuse(status: Int, code: ErrorCode?)

    // The request is handled, and what it changed stays.

    case loseReply
    /// The connection stays open, and no reply comes.
    case hang
    case delay(ms: Int64)
    /// The reply is an error of this status.
    case replace(status: Int)

    // The reply is another one than it should be.

    case htmlBody
    case emptyBody
    case truncatedBody
    case noVersionHeader
    /// The error's `code` is the status, whatever version was asked for.
    case numberCode
    /// The error's `code` is the word, whatever version was asked for.
    case textCode
    /// Tokens that have expired already.
    case expiredTokens

    // Something else comes before the request.

    /// The server's clock jumps.
    case skew(ms: Int64)
    /// The request comes from somewhere else.
    case changeAddress(String)
    case elsewhere(Deed)
  }

  /// What somebody else does to the user of a request.
  package enum Deed: Equatable, Sendable {
    case revokeSessions
    /// The session of the request is refreshed, so many times.
    case rotate(times: Int)
    case addFactor
    case removeFactors
    case deleteUser
    case banUser
  }

  package var effect: Effect
  /// `nil` is any.
  package var method: String?
  /// The path below `/auth/v1` or `/api/v1`; a query lists what must be in the request's:
  /// `/token?grant_type=refresh_token`.
  package var path: String
  /// The first request that it meets, counting those that fit from 1.
  package var occurrence: Int
  /// How many requests in a row it meets.
  package var times: Int

  /// - Parameters:
  ///   - effect: What goes wrong.
  ///   - path: Of the requests, below the server's base or with it, maybe with a query.
  ///   - method: Theirs; `nil` for any.
  ///   - occurrence: Which of them is the first, from 1.
  ///   - times: How many in a row.
  package init(
    _ effect: Effect, on path: String, method: String? = nil, occurrence: Int = 1, times: Int = 1
  ) {
    self.effect = effect
    self.method = method
    self.path = path
    self.occurrence = occurrence
    self.times = times
  }

  func fits(_ call: GoTrueCall) -> Bool {
    let whole = path.prefix { $0 != "?" }
    let query = QueryItems(parsing: path.dropFirst(whole.count + 1))
    let base = "/auth/v1"
    let wanted = whole.hasPrefix(base + "/") ? whole.dropFirst(base.count) : whole
    return (method ?? call.method) == call.method && wanted == call.path
      && query.items.allSatisfy { call.query[$0.name] == $0.value }
  }
}

/// The switches of a server, and which of them have met a request.
package struct FaultPlan: Sendable {
  package struct Entry: Equatable, Sendable {
    package let id: Int
    package let fault: ServerFault
    fileprivate var seen = 0
    /// How many requests it has met; zero is *armed*.
    package fileprivate(set) var fired = 0
  }

  package private(set) var entries: [Entry] = []
  private var count = 0

  /// Returns the id under which the fault is reported.
  @discardableResult
  package mutating func arm(_ fault: ServerFault) -> Int {
    count += 1
    entries.append(Entry(id: count, fault: fault))
    return count
  }

  package mutating func disarm() { entries.removeAll() }

  /// What the armed faults do to a request, in the order in which they were armed.
  mutating func effects(on call: GoTrueCall) -> [ServerFault.Effect] {
    var effects: [ServerFault.Effect] = []
    for index in entries.indices where entries[index].fault.fits(call) {
      entries[index].seen += 1
      let fault = entries[index].fault
      let last = fault.occurrence + fault.times
      guard (fault.occurrence..<last).contains(entries[index].seen) else { continue }
      entries[index].fired += 1
      effects.append(fault.effect)
    }
    return effects
  }
}
