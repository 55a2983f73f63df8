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
    case lateReply(ms: Int64)
    /// The reply is an error of this status.
    case errorReply(status: Int)

    // The reply is another one than it should be.

    /// A page of a proxy; with a status it comes in the server's place, which hears of no request.
    case htmlReply(status: Int?)
    case emptyReply
    case cutReply
    case noVersion
    /// The error's `code` is the status, whatever version was asked for.
    case numberCode
    /// The error's `code` is the word, whatever version was asked for.
    case textCode
    /// Tokens that have expired already.
    case expiredTokens
    /// The request comes from somewhere else.
    case changeAddress(String)

    // Something else comes before the request, or without one.

    /// The server's clock jumps.
    case serverClock(ms: Int64)
    case elsewhere(Deed)
  }

  /// What somebody else does to a user.
  package enum Deed: Equatable, Sendable {
    case revokeSession
    /// Each session is refreshed, so many times; of a request, its own.
    case rotate(times: Int)
    case addFactor
    case removeFactors
    case deleteUser
    case banUser
  }

  package var effect: Effect
  /// `nil` is any.
  package var method: String?
  /// The path below a base of the server or with it; `nil` is any. An id in it may be `*`, and a query
  /// lists what must be in the request's: `/token?grant_type=refresh_token`.
  package var path: String?
  /// The first request that it meets, counting those that fit from 1.
  package var occurrence: Int
  /// How many requests in a row it meets.
  package var times: Int
  /// Whom a deed is done to; `nil` is the user of the request.
  package var user: String?

  /// - Parameters:
  ///   - effect: What goes wrong.
  ///   - path: Of the requests, below the server's base or with it, maybe with a query; `nil` for any.
  ///   - method: Theirs; `nil` for any.
  ///   - occurrence: Which of them is the first, from 1.
  ///   - times: How many in a row.
  ///   - user: The address of the user whom a deed is done to; `nil` for that of the request.
  package init(
    _ effect: Effect, on path: String? = nil, method: String? = nil, occurrence: Int = 1,
    times: Int = 1, user: String? = nil
  ) {
    self.effect = effect
    self.method = method
    self.path = path
    self.occurrence = occurrence
    self.times = times
    self.user = user
  }
}

extension ServerFault: CustomStringConvertible {
  /// `lose-reply on POST /token, time 2`.
  package var description: String { "\(effect.kind.rawValue) on \(moment)" }

  /// Which requests it meets: `POST /token, time 2`.
  package var moment: String {
    let place = [method, path].compactMap(\.self).joined(separator: " ")
    return (place.isEmpty ? "any request" : place)
      + (occurrence == 1 ? "" : ", time \(occurrence)")
      + (times == 1 ? "" : ", \(times) in a row")
  }
}

extension ServerFault {
  /// The names of the effects, as the catalogue has them.
  package enum Kind: String, CaseIterable, Sendable {
    case loseRequest = "lose-request"
    case refuse
    case loseReply = "lose-reply"
    case hang
    case lateReply = "late-reply"
    case errorReply = "error-reply"
    case htmlReply = "html-reply"
    case emptyReply = "empty-reply"
    case cutReply = "cut-reply"
    case noVersion = "no-version"
    case numberCode = "number-code"
    case textCode = "text-code"
    case expiredTokens = "expired-tokens"
    case changeAddress = "change-address"
    case serverClock = "server-clock"
    case revokeSession = "revoke-session"
    case rotateElsewhere = "rotate-elsewhere"
    case addFactor = "add-factor"
    case removeFactors = "remove-factors"
    case deleteUser = "delete-user"
    case banUser = "ban-user"
  }
}

extension ServerFault.Effect {
  package var kind: ServerFault.Kind {
    switch self {
    case .loseRequest: .loseRequest
    case .refuse: .refuse
    case .loseReply: .loseReply
    case .hang: .hang
    case .lateReply: .lateReply
    case .errorReply: .errorReply
    case .htmlReply: .htmlReply
    case .emptyReply: .emptyReply
    case .cutReply: .cutReply
    case .noVersion: .noVersion
    case .numberCode: .numberCode
    case .textCode: .textCode
    case .expiredTokens: .expiredTokens
    case .changeAddress: .changeAddress
    case .serverClock: .serverClock
    case .elsewhere(.revokeSession): .revokeSession
    case .elsewhere(.rotate): .rotateElsewhere
    case .elsewhere(.addFactor): .addFactor
    case .elsewhere(.removeFactors): .removeFactors
    case .elsewhere(.deleteUser): .deleteUser
    case .elsewhere(.banUser): .banUser
    }
  }
}
