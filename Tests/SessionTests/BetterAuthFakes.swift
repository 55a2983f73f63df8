import JSON
import Ports
import Session
import Wire

/// A secure storage that notes each call with the length of what is written, and fails on demand.
final class RecordedStore: SecureStorage {
  var items: [String: String] = [:]
  var operations: [JSONValue] = []
  /// The number of the write that fails, counted from 0; `nil` for none.
  var failAtWrite: Int?
  var failsAllWrites = false
  var failsReads = false
  private(set) var writes = 0

  func item(_ name: String) async throws(NativeError) -> String? {
    operations.append(["get", .text(name)])
    if failsReads { throw NativeError(message: "cannot be read") }
    return items[name]
  }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    defer { writes += 1 }
    if failsAllWrites || failAtWrite == writes {
      operations.append(["setFails", .text(name)])
      throw NativeError(message: "cannot be written")
    }
    operations.append(["set", .text(name), .integer(value.utf16.count)])
    items[name] = value
  }

  func removeItem(_ name: String) async throws(NativeError) { items[name] = nil }

  /// Counts writes from here on.
  func restart() {
    writes = 0
    operations = []
  }
}

/// Counts lines, and keeps them to look for secrets.
final class CountingConsole: Console {
  private(set) var lines: [String] = []
  var count: Int { lines.count }

  func warn(_ text: String) { lines.append(text) }
  func error(_ text: String) { lines.append(text) }
}

/// Keeps what is started, until a test runs it.
final class HeldSpawner: Spawner {
  private(set) var works: [(name: String, work: () async -> Void)] = []

  func spawn(_ name: String, _ work: @escaping () async -> Void) { works.append((name, work)) }

  func run() async {
    while !works.isEmpty { await works.removeFirst().work() }
  }
}

/// A server that answers with what a test says.
final class FakeTransport: HTTPTransport {
  var requests: [HTTPRequest] = []
  var answer: (HTTPRequest) async throws(NetworkError) -> HTTPResponse = { _ in
    HTTPResponse(200, body: Array("null".utf8))
  }

  func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    requests.append(request)
    return try await answer(request)
  }
}

/// A browser that ends as a test says.
final class FakeBrowser: Browser {
  var pages: [String] = []
  var answer: (String) async throws(NativeError) -> BrowserResult = { _ in .cancel }

  func openAuthSession(
    _ url: String, redirect: String
  ) async throws(NativeError) -> BrowserResult {
    pages.append(url)
    return try await answer(url)
  }
}

/// Everything around one client of Better Auth.
final class HookBench {
  let store = RecordedStore()
  let console = CountingConsole()
  let spawner = HeldSpawner()
  let clock = FakeClock()
  let transport = FakeTransport()
  let browser = FakeBrowser()

  var ports: BetterAuthPorts {
    BetterAuthPorts(
      transport: transport, secure: store, browser: browser, clock: clock, console: console,
      spawner: spawner)
  }
}
