import Backend
import Glibc
import HTTP
import Linux
import Machine
import Ports
import Session

/// A client and a served auth server, each on a thread of its own, by the clock on the wall.
final class ServedRefresh {
  private static let account = (email: "ada@example.com", password: "correct horse battery")

  private let stop: Wake
  private let thread: Thread
  private let log: Locked<AttemptLog>
  private let address: LoopbackAddress
  private let loop: EventLoop
  private let time: RealTime

  /// - Throws: `SystemError` when nothing can be served here.
  init() throws {
    let stop = try Wake()
    let log = Locked(AttemptLog())
    let place = Locked<Result<LoopbackAddress, any Error>?>(nil)
    thread = try Thread("lab-bench-auth") {
      do {
        let server = GoTrueServer(clock: MachineClock(), entropy: SystemEntropy())
        try server.addAccount(Self.account.email, password: Self.account.password)
        let front = try HTTPServer(
          EventLoop(), at: LoopbackAddress(port: 0), FailingService(server, log))
        place.withLock { $0 = .success(front.address) }
        front.run(until: stop.descriptor) { stop.clear() }
      } catch {
        place.withLock { $0 = .failure(error) }
      }
    }
    self.stop = stop
    self.log = log
    guard let found = place.wait(timeoutMs: 10_000, until: { $0 }) else {
      throw BenchmarkError.implementation("the served server", reason: "it does not start")
    }
    address = try found.get()
    loop = try EventLoop()
    time = RealTime(loop)
  }

  func end() {
    stop.ring()
    thread.join()
  }

  /// How long each of so many refreshes took, in nanoseconds.
  ///
  /// - Throws: ``BenchmarkError/implementation(_:reason:)`` when the client could not sign in or
  ///   refresh.
  func refreshes(_ count: Int) throws -> [Double] {
    let client = client()
    return try perform { () async throws(AuthError) in
      _ = try await client.signInWithPassword(
        email: Self.account.email, password: Self.account.password)
      var times: [Double] = []
      for _ in 0..<count {
        let start = Clocks.monotonicNs
        _ = try await client.refreshSession()
        times.append(Double(Clocks.monotonicNs - start))
      }
      return times
    }
  }

  /// The same for a request about which the server has nothing to do.
  func healthChecks(_ count: Int) throws -> [Double] {
    let transport = HTTPClient(loop, address)
    return try perform { () async throws(AuthError) in
      var times: [Double] = []
      for _ in 0..<count {
        let start = Clocks.monotonicNs
        do throws(NetworkError) {
          _ = try await self.time.waitingForReply { () async throws(NetworkError) in
            try await transport.send(HTTPRequest("GET", "/auth/v1/health"))
          }
        } catch {
          throw .retryableFetch(message: error.message, status: 0)
        }
        times.append(Double(Clocks.monotonicNs - start))
      }
      return times
    }
  }

  /// How late so many sleeps of the ticker's kind end.
  func overshoots(_ count: Int) -> [Double] {
    let period: Int64 = 5_000_000
    return time.run { [time] in
      var times: [Double] = []
      for _ in 0..<count {
        let due = Clocks.monotonicNs + period
        do throws(ProcessGone) { try await time.sleep(for: .nanoseconds(period)) } catch { break }
        times.append(Double(Clocks.monotonicNs - due))
      }
      return times
    }
  }

  /// How much later than in theory the retries of a refresh come whose first attempts fail: 0.2, 0.6,
  /// 1.4, 3.0 … seconds after the first.
  func retries(failing count: Int) throws -> [Double] {
    let client = client()
    return try perform { [log] () async throws(AuthError) in
      _ = try await client.signInWithPassword(
        email: Self.account.email, password: Self.account.password)
      log.withLock { $0 = AttemptLog(failureCount: count) }
      _ = try await client.refreshSession()
      let attempts = log.withLock { $0.attemptsNs }
      guard let first = attempts.first else { return [] }
      return attempts.dropFirst().enumerated().map { index, ns in
        Double(ns - first) - 200e6 * Double((1 << (index + 1)) - 1)
      }
    }
  }

  // MARK: - Parts

  private func client() -> AuthClient {
    var settings = AuthSettings(
      baseURL: "\(address.url)/auth/v1", anonKey: "public", storageKey: "session")
    // The ticker would outlive the measurement.
    settings.refreshesAutomatically = false
    return AuthClient(
      settings,
      AuthPorts(
        store: MemoryStore(), transport: WaitingTransport(HTTPClient(loop, address), time),
        clock: MachineClock(), sleeper: time, spawner: time, entropy: SystemEntropy(),
        console: SilentConsole()))
  }

  private func perform(
    _ work: @escaping () async throws(AuthError) -> [Double]
  ) throws -> [Double] {
    let result = time.run { () async -> Result<[Double], AuthError> in
      do throws(AuthError) {
        return .success(try await work())
      } catch {
        return .failure(error)
      }
    }
    do {
      return try result.get()
    } catch {
      throw BenchmarkError.implementation("a refresh on loopback", reason: "\(error)")
    }
  }
}

/// When token requests came, and how many of them are still to fail.
private struct AttemptLog: Sendable {
  var failureCount = 0
  var attemptsNs: [Int64] = []
}

/// A server before which something fails for a while.
private final class FailingService: HTTPService {
  private let service: any HTTPService
  private let log: Locked<AttemptLog>

  init(_ service: any HTTPService, _ log: Locked<AttemptLog>) {
    self.service = service
    self.log = log
  }

  func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    guard request.path.hasSuffix("/token") else { return service.answer(request, from: address) }
    let fails = log.withLock { log in
      log.attemptsNs.append(Clocks.monotonicNs)
      guard log.failureCount > 0 else { return false }
      log.failureCount -= 1
      return true
    }
    return fails ? ServerReply(HTTPResponse(503)) : service.answer(request, from: address)
  }
}

private final class WaitingTransport: HTTPTransport {
  private let transport: HTTPClient
  private let time: RealTime

  init(_ transport: HTTPClient, _ time: RealTime) {
    self.transport = transport
    self.time = time
  }

  func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    try await time.waitingForReply { () async throws(NetworkError) in
      try await self.transport.send(request)
    }
  }
}

private final class MemoryStore: SessionStore {
  private var items: [String: JavaScriptString] = [:]

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? { items[name] }
  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    items[name] = value
  }
  func removeItem(_ name: String) async throws(StoreError) { items[name] = nil }
}
