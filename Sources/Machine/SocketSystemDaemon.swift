import Glibc
import Linux
package import Ports

/// A service of the phone's operating system, reached over a Unix socket.
///
/// One connection, made at the first call. A call waits for its answer on the app's only thread,
/// as a synchronous message to the real service does. When the service was restarted between two
/// calls, the next one connects again; when it goes away during a call, that call fails.
package final class SocketSystemDaemon: SystemDaemon {
  private let path: String
  private var socket: UnixSocket?

  package init(path: String) {
    self.path = path
  }

  package func call(_ request: String) async throws(DaemonUnavailable) -> String {
    try ask(request)
  }

  /// The same call for code that is not asynchronous.
  package func ask(_ request: String) throws(DaemonUnavailable) -> String {
    do {
      if let answer = try deliver(Array(request.utf8)).receive() {
        return String(decoding: answer.message, as: UTF8.self)
      }
    } catch {
      socket = nil
      throw DaemonUnavailable(reason: "\(error)")
    }
    socket = nil
    throw DaemonUnavailable(reason: "the service closed the connection before it answered")
  }

  /// Sends over the open connection; if its other end is gone, nothing was delivered, and a new
  /// connection is tried once.
  private func deliver(_ request: [UInt8]) throws(SystemError) -> UnixSocket {
    if let socket {
      do {
        try socket.send(request)
        return socket
      } catch {
        guard error.code == EPIPE || error.code == ECONNRESET else { throw error }
      }
    }
    let fresh = try UnixSocket.connect(path)
    socket = fresh
    try fresh.send(request)
    return fresh
  }
}
