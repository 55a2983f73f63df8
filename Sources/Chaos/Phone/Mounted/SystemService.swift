import Device
import Glibc
import Linux

/// The service that keeps the phone's keys, as a process of the phone.
struct SystemService: Sendable {
  let number: ProcessNumber
  let child: ChildProcess
  let socketPath: String

  var isRunning: Bool { !child.pidfd.hasEnded }

  /// Asks the service, and waits for its answer; both are JSON texts.
  ///
  /// - Throws: ``PhoneHostError/service(_:)`` when it does not answer in time; whether the request
  ///   took effect is then unknown.
  func ask(_ request: String) throws(PhoneHostError) -> String {
    do {
      let socket = try UnixSocket.connect(socketPath)
      try socket.send(Array(request.utf8))
      guard try socket.descriptor.waitReadable(timeoutMs: 5_000) else {
        throw PhoneHostError.service("does not answer; an operation of its own may be held")
      }
      guard let answer = try socket.receive() else {
        throw PhoneHostError.service("ended without an answer")
      }
      return String(decoding: answer.message, as: UTF8.self)
    } catch let error as PhoneHostError {
      throw error
    } catch {
      throw .service("cannot be reached: \(error)")
    }
  }
}
