import Ports
import Session

/// Plain storage as memory. A call takes the next script of its name; what a gate holds back takes
/// effect when it opens, so that writes can overtake each other.
final class FakePlain: PlainStorage {
  enum Script {
    case pass
    case fail
    case wait(Gate)
  }

  var items: [String: String] = [:]
  var scripts: [String: [Script]] = [:]
  private(set) var journal: [String] = []

  func item(_ name: String) async throws(NativeError) -> String? {
    try await called("get \(name)")
    return items[name]
  }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    try await called("set \(name)")
    items[name] = value
  }

  func removeItem(_ name: String) async throws(NativeError) {
    try await called("remove \(name)")
    items[name] = nil
  }

  private func called(_ line: String) async throws(NativeError) {
    journal.append(line)
    let call = String(line.prefix { $0 != " " })
    guard var queue = scripts[call], !queue.isEmpty else { return }
    let script = queue.removeFirst()
    scripts[call] = queue
    switch script {
    case .pass: break
    case .fail: throw NativeError(message: "disk full")
    case .wait(let gate): await gate.pass()
    }
  }
}

final class FakeLifecycle: AppLifecycle {
  private(set) var state = AppState.active
  private var listeners: [(AppState) -> Void] = []

  func onChange(_ listener: @escaping (AppState) -> Void) -> () -> Void {
    listeners.append(listener)
    return { [unowned self] in listeners = [] }
  }

  func change(to state: AppState) {
    self.state = state
    for listener in listeners { listener(state) }
  }
}

/// A browser whose sessions end as the test says. A second one beside the first is rejected.
final class ScriptedBrowser: Browser {
  var results: [Result<BrowserResult, NativeError>] = []
  var gates: [Gate] = []
  var secondOpen = NativeError(message: "Another web browser is already open.")
  private(set) var opened: [(url: String, redirect: String)] = []
  private var isOpen = false

  func openAuthSession(
    _ url: String, redirect: String
  ) async throws(NativeError) -> BrowserResult {
    if isOpen { throw secondOpen }
    isOpen = true
    defer { isOpen = false }
    opened.append((url, redirect))
    if !gates.isEmpty { await gates.removeFirst().pass() }
    return try results.removeFirst().get()
  }
}

final class FakeAppleSheet: AppleSignIn {
  var results: [Result<AppleCredential, NativeError>] = []
  private(set) var nonces: [String] = []

  func isAvailable() async -> Bool { true }

  func signIn(nonce: String) async throws(NativeError) -> AppleCredential {
    nonces.append(nonce)
    return try results.removeFirst().get()
  }
}

final class FakeLinking: Linking {
  private(set) var opened: [String] = []
  var failure: NativeError?

  func open(_ url: String) async throws(NativeError) {
    opened.append(url)
    if let failure { throw failure }
  }
}

/// A server that replies what the test says, in order.
final class ScriptedTransport: HTTPTransport {
  var replies: [Result<HTTPResponse, NetworkError>] = []
  private(set) var requests: [HTTPRequest] = []

  func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    requests.append(request)
    return try replies.removeFirst().get()
  }

  func reply(_ status: Int, _ text: String) {
    replies.append(.success(HTTPResponse(status, body: Array(text.utf8))))
  }
}
