import CEvent
import Linux

/// What evhttp does not watch.
extension HTTPServer {
  /// How long the socket of a refused client stays open, so that the client can read why.
  private static let lingeringNs: Int64 = 1_000_000_000

  func makeConnection() -> OpaquePointer? {
    let made = ServerConnection(loop, nowNs: Clocks.monotonicNs) { [unowned self] in
      tellRefusal($0, $1)
    }
    guard let connection = made else { return nil }
    unsafe connections[connection.channel] = connection
    return unsafe connection.channel
  }

  /// Looks at every connection once.
  ///
  /// - Complexity: O(*c*) for *c* connections.
  func makeRound() {
    resumeListening()
    let now = Clocks.monotonicNs
    for connection in unsafe Array(connections.values) { visit(connection, now) }
  }

  private func visit(_ connection: ServerConnection, _ now: Int64) {
    switch connection.phase {
    case .ended(let since):
      if connection.drain() || now - since > Self.lingeringNs { forget(connection) }
    case .waiting, .answering, .silent:
      if connection.isFreed {
        connection.end(now)
        return visit(connection, now)
      }
    }
    switch connection.phase {
    case .ended, .answering: return
    case .silent(let request):
      if stoppingSinceNs != nil || connection.isLeft { unsafe hangUp(request) }
    case .waiting(let since):
      let isIdle = !connection.hasReceived && !connection.hasUnsentBytes
      if stoppingSinceNs != nil, isIdle {
        connection.hangUp()
      } else if now - since > nanoseconds(limits.patience) {
        connection.sayTooLate()
        connection.hangUp()
      }
    }
  }

  private func forget(_ connection: ServerConnection) {
    unsafe connections[connection.channel] = nil
  }
}
