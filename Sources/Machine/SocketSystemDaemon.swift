import Glibc
package import Ports

/// A service of the phone's operating system, reached over a Unix socket.
///
/// One connection, made at the first call. A call waits for its answer on the app's only thread,
/// as a synchronous message to the real service does. When the service was restarted between two
/// calls, the next one connects again; when it goes away during a call, that call fails.
package final class SocketSystemDaemon: SystemDaemon {
  private let path: String
  private var connection: Int32?

  package init(path: String) {
    self.path = path
  }

  deinit {
    disconnect()
  }

  package func call(_ request: String) async throws(DaemonUnavailable) -> String {
    try ask(request)
  }

  /// The same call for code that is not asynchronous.
  package func ask(_ request: String) throws(DaemonUnavailable) -> String {
    do {
      try deliver(request)
      if let connection, let answer = try UnixSocket.receive(on: connection) { return answer }
    } catch {
      disconnect()
      throw DaemonUnavailable(reason: error.text)
    }
    disconnect()
    throw DaemonUnavailable(reason: "the service closed the connection before it answered")
  }

  /// Sends over the open connection; if its other end is gone, nothing was delivered, and a new
  /// connection is tried once.
  private func deliver(_ request: String) throws(UnixSocket.Failure) {
    if let connection {
      do {
        try UnixSocket.send(request, on: connection)
        return
      } catch {
        disconnect()
        guard error.code == EPIPE || error.code == ECONNRESET else { throw error }
      }
    }
    let fresh = try UnixSocket.connect(to: path)
    connection = fresh
    try UnixSocket.send(request, on: fresh)
  }

  private func disconnect() {
    if let connection { _ = close(connection) }
    connection = nil
  }
}
