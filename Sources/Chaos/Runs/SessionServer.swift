import Backend
import Session

/// A server of sessions, as the lab looks at it.
protocol SessionServer: FaultyService {
  /// What the token of a session is worth that an app shows.
  func standing(of session: ClientView.ShownSession) throws -> GoTrueServer.Standing

  /// The digests of the newest tokens of all sessions that it would go on with.
  func newestDigests() throws -> Set<String>
}

extension GoTrueServer: SessionServer {
  func standing(of session: ClientView.ShownSession) throws -> Standing {
    try standing(of: session.id) { token in
      try ClientView.digest(ofToken: token) == session.tokenDigest
    }
  }

  func newestDigests() throws -> Set<String> {
    Set(
      try state.sessions.compactMap { try newestToken(of: $0.id) }
        .map(ClientView.digest(ofToken:)))
  }
}

/// Its tokens stay as they are until they end.
extension BetterAuthServer: SessionServer {
  func standing(of session: ClientView.ShownSession) throws -> GoTrueServer.Standing {
    try newestDigests().contains(session.tokenDigest) ? .newest : .ended
  }

  func newestDigests() throws -> Set<String> {
    Set(try state.sessions.map(\.token).map(ClientView.digest(ofToken:)))
  }
}
