import HTTP
import Linux
import Ports
import Simulation

/// Serves apps of a mounted phone over HTTP on loopback, on a thread of its own.
///
/// Whose requests they are, changes from case to case. Replies leave at once: what takes virtual time is
/// told by a header, for the app to wait.
final class ServerFront: Sendable {
  let url: String
  private let service: Locked<(any HTTPService)?>
  private let stop: Wake
  private let thread: Thread

  /// - Throws: `SystemError` when the machine has no descriptor, port or thread left.
  init() throws(SystemError) {
    let service = Locked<(any HTTPService)?>(nil)
    let stop = try Wake()
    let opened = Locked<Result<String, SystemError>?>(nil)
    thread = try Thread("lab server") {
      do throws(SystemError) {
        let server = try HTTPServer(
          EventLoop(), at: LoopbackAddress(port: 0), UndelayedService(service))
        opened.withLock { $0 = .success(server.address.url) }
        server.run(until: stop.descriptor) { stop.clear() }
      } catch {
        opened.withLock { $0 = .failure(error) }
      }
    }
    self.service = service
    self.stop = stop
    guard let result = opened.wait(until: { $0 }) else { preconditionFailure("waits for ever") }
    url = try result.get()
  }

  deinit {
    stop.ring()
    thread.join()
  }

  /// From here on these requests are answered by another server.
  func serve(_ service: any HTTPService) {
    self.service.withLock { $0 = service }
  }
}

private final class UndelayedService: HTTPService {
  private let service: Locked<(any HTTPService)?>

  init(_ service: Locked<(any HTTPService)?>) { self.service = service }

  func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    service.withLock { service in
      guard var reply = service?.answer(request, from: ServiceTransport.phoneAddress) else {
        return ServerReply(HTTPResponse(503))
      }
      reply.response.headers[ServerReply.Delivery.header] = reply.delivery.text
      reply.delivery = .now
      return reply
    }
  }
}
