import Glibc
package import Linux

/// The socket by which other processes command a mounted phone.
///
/// A message is a text behind its length, with at most one descriptor; the answer is a text. Every
/// message is answered, in the order of its connection; connections do not wait for each other.
package final class ControlSocket: Sendable {
  /// What answers a message. Runs on the connection's own thread, so it may wait, for instance for a
  /// power cut.
  package typealias Handler = @Sendable (_ message: String, _ passed: Descriptor?) -> String

  package var path: String { listener.path }

  private let listener: UnixListener
  private let wake: Wake
  private let handler: Handler
  private let state = Locked(State())
  private let acceptor = Locked<Thread?>(nil)

  private struct State {
    var isClosed = false
    var next = 0
    var connections: [Int: (socket: UnixSocket, thread: Thread?)] = [:]
  }

  /// Listens, with mode 0600, in a folder that must let in its owner only.
  package init(at path: String, handler: @escaping Handler) throws(SystemError) {
    listener = try UnixListener(path)
    wake = try Wake()
    self.handler = handler
    let thread = try Thread("lab-control") { [self] in acceptAll() }
    acceptor.withLock { $0 = thread }
  }

  /// Ends all connections and removes the socket file. Handlers that run are waited for, unless one
  /// of them is the caller.
  package func close() {
    let threads = state.withLock { state -> [Thread] in
      state.isClosed = true
      for connection in state.connections.values { connection.socket.shutDownReading() }
      return state.connections.values.compactMap(\.thread)
    }
    wake.ring()
    acceptor.withLock { $0 }?.join()
    for thread in threads { thread.join() }
    _ = try? Files.remove(path)
  }

  private func acceptAll() {
    while let ready = try? Descriptor.waitReadable([listener.descriptor, wake.descriptor]) {
      if ready.contains(1) { return }
      guard let socket = try? listener.accept() else { continue }
      serve(socket)
    }
  }

  private func serve(_ socket: UnixSocket) {
    let key = state.withLock { state -> Int? in
      guard !state.isClosed else { return nil }
      state.next += 1
      state.connections[state.next] = (socket, nil)
      return state.next
    }
    guard let key else { return }
    let thread = try? Thread("lab-control-\(key)") { [self] in
      answerAll(socket)
      state.withLock { $0.connections[key] = nil }
    }
    state.withLock { state in
      // Without a thread the caller is told by the end of its connection.
      if thread == nil { state.connections[key] = nil }
      state.connections[key]?.thread = thread
    }
  }

  private func answerAll(_ socket: UnixSocket) {
    while let (message, passed) = (try? socket.receive()) ?? nil {
      let answer = handler(String(decoding: message, as: UTF8.self), passed.first)
      guard (try? socket.send(Array(answer.utf8))) != nil else { return }
    }
  }
}

/// The other side of a ``ControlSocket``.
package final class ControlClient: Sendable {
  private let socket: UnixSocket

  package init(at path: String) throws(SystemError) {
    socket = try UnixSocket.connect(path)
  }

  /// Sends a message, with a descriptor if there is one, and waits for the answer.
  ///
  /// - Throws: `SystemError`; `ECONNRESET` when the phone ended before it answered.
  package func call(
    _ message: String, passing passed: Descriptor? = nil
  ) throws(SystemError) -> String {
    try socket.send(Array(message.utf8), passing: passed.map { [$0] } ?? [])
    guard let (answer, _) = try socket.receive() else {
      throw SystemError(call: "call", subject: "the phone", code: ECONNRESET)
    }
    return String(decoding: answer, as: UTF8.self)
  }
}
