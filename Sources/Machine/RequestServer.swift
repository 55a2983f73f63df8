import Linux

/// Answers messages of several clients over a Unix socket, one at a time, on one thread.
package final class RequestServer {
  private let listener: UnixListener
  private var clients: [UnixSocket] = []

  /// Starts to listen; the socket's file has mode 0600.
  ///
  /// - Throws: ``ListenFailure``; no socket is left open.
  package init(path: String) throws(ListenFailure) {
    do {
      listener = try UnixListener(path)
    } catch {
      throw ListenFailure(reason: "\(error)")
    }
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
  /// - Throws: ``ListenFailure`` when the machine has no descriptors left.
  package func serve(
    _ answer: (String) -> (text: String, next: Next), afterwards: () -> Void
  ) throws(ListenFailure) {
    while true {
      for client in try wait() {
        guard let request = receive(from: client) else {
          drop(client)
          continue
        }
        let reply = answer(request)
        send(reply.text, to: client)
        afterwards()
        if reply.next == .stop { return }
      }
    }
  }

  /// The clients that have sent something or gone away.
  private func wait() throws(ListenFailure) -> [UnixSocket] {
    do {
      let ready = try Descriptor.waitReadable([listener.descriptor] + clients.map(\.descriptor))
      let served = ready.filter { $0 > 0 }.map { clients[$0 - 1] }
      if ready.contains(0) { clients.append(try listener.accept()) }
      return served
    } catch {
      throw ListenFailure(reason: "\(error)")
    }
  }

  private func receive(from client: UnixSocket) -> String? {
    do {
      return try client.receive().map { String(decoding: $0.message, as: UTF8.self) }
    } catch {
      // A client that was killed in the middle of a message.
      return nil
    }
  }

  /// A client that was killed while it waited gets no answer; the work is done all the same.
  private func send(_ text: String, to client: UnixSocket) {
    do {
      try client.send(Array(text.utf8))
    } catch {
      drop(client)
    }
  }

  private func drop(_ client: UnixSocket) {
    clients.removeAll { $0 === client }
  }
}
