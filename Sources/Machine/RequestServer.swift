import Glibc

/// Answers messages of several clients over a Unix socket, one at a time, on one thread.
package final class RequestServer {
  private let listener: Int32
  private let path: String
  private var clients: [Int32] = []

  /// Starts to listen; the socket's file has mode 0600 and goes away with the server.
  ///
  /// - Throws: ``ListenFailure``; no socket is left open.
  package init(path: String) throws(ListenFailure) {
    do {
      listener = try UnixSocket.listen(at: path)
    } catch {
      throw ListenFailure(path: path, reason: error.text)
    }
    self.path = path
  }

  deinit {
    for client in clients { _ = close(client) }
    _ = close(listener)
    _ = unsafe unlink(path)
  }

  /// What follows an answer.
  package enum Next: Sendable {
    case goOn
    case stop
  }

  /// Serves until a request says stop.
  ///
  /// - Parameters:
  ///   - answer: Gives the answer to a request, and what follows it.
  ///   - afterwards: Runs when the answer has been sent: what a service does behind its caller's
  ///     back.
  package func serve(_ answer: (String) -> (text: String, next: Next), afterwards: () -> Void) {
    while true {
      for client in wait() {
        guard let request = receive(from: client) else {
          drop(client)
          continue
        }
        let reply = answer(request)
        do {
          try UnixSocket.send(reply.text, on: client)
        } catch {
          // The client was killed while it waited; the work is done all the same.
          drop(client)
        }
        afterwards()
        if reply.next == .stop { return }
      }
    }
  }

  /// The clients that have sent something or gone away.
  private func wait() -> [Int32] {
    var polled = ([listener] + clients).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = unsafe poll(&polled, nfds_t(polled.count), -1)
    guard count > 0 else {
      precondition(count == 0 || errno == EINTR, "poll works on open sockets")
      return []
    }
    if polled[0].revents != 0 { accept() }
    return polled.dropFirst().filter { $0.revents != 0 }.map(\.fd)
  }

  private func accept() {
    let client = Glibc.accept(listener, nil, nil)
    if client >= 0 { clients.append(client) }
  }

  private func receive(from client: Int32) -> String? {
    do {
      return try UnixSocket.receive(on: client)
    } catch {
      // A client that was killed in the middle of a message.
      return nil
    }
  }

  private func drop(_ client: Int32) {
    clients.removeAll { $0 == client }
    _ = close(client)
  }
}

/// A socket that could not be listened at.
package struct ListenFailure: Error, Equatable, Sendable, CustomStringConvertible {
  package var path: String
  package var reason: String

  package var description: String { "cannot listen at \(path): \(reason)" }
}
