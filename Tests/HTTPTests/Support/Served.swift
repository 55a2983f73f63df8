import HTTP
import Linux
import Ports
import Testing

/// A server on a thread of its own, on any free port.
final class Served: Sendable {
  let address: LoopbackAddress
  private let stop: Wake
  private let thread: Thread
  private let reported: Locked<[HTTPServer.Exchange]>

  init(
    _ host: LoopbackAddress.Host = .v4,
    _ limits: @escaping @Sendable (inout HTTPServer.Limits) -> Void = { _ in }
  ) throws {
    let place = Locked<Result<LoopbackAddress, SystemError>?>(nil)
    let stop = try Wake()
    let reported = Locked<[HTTPServer.Exchange]>([])
    self.stop = stop
    self.reported = reported
    thread = try Thread("served") {
      do throws(SystemError) {
        var chosen = HTTPServer.Limits()
        limits(&chosen)
        let server = try HTTPServer(
          EventLoop(), at: LoopbackAddress(host, port: 0), SampleService(), chosen
        ) { exchange in reported.withLock { $0.append(exchange) } }
        place.withLock { $0 = .success(server.address) }
        server.run(until: stop.descriptor) { stop.clear() }
      } catch {
        place.withLock { $0 = .failure(error) }
      }
    }
    address = try #require(place.wait(timeoutMs: 10_000) { $0 }).get()
  }

  deinit {
    askToStop()
    thread.join()
  }

  /// Once: it finishes what was begun. Twice: at once.
  func askToStop() { stop.ring() }

  func waitUntilStopped() { thread.join() }

  /// What the server has reported, as soon as there is so much.
  func exchanges(_ count: Int) throws -> [HTTPServer.Exchange] {
    try #require(reported.wait(timeoutMs: 10_000) { $0.count >= count ? $0 : nil })
  }

  func connect() throws -> RawClient { try RawClient(self) }

  /// What comes back for these bytes, until the server closes.
  func reply(to text: String) throws -> String {
    let client = try connect()
    try client.write(text)
    return try client.readAll()
  }
}
