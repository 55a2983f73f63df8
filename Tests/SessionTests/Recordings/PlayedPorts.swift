import JSON
import Ports
import Session
import Simulation

/// The store of a trace: it outlives processes.
final class PlayedStorage {
  struct Fault {
    let call: String
    let key: String?
    let effect: JSONValue
    var timesLeft: Int
  }

  var items: [String: String] = [:]
  var faults: [Fault] = []

  func takeFault(_ call: String, _ key: String) -> JSONValue? {
    let found = faults.firstIndex { $0.call == call && ($0.key ?? key) == key && $0.timesLeft > 0 }
    guard let found else { return nil }
    faults[found].timesLeft -= 1
    return faults[found].effect
  }
}

/// A store as one process calls it: calls take time and have their effect at their end.
final class PlayedStore: SessionStore {
  private let storage: PlayedStorage
  private let process: SimulatedProcess
  private let log: PlayedLog
  private let summary: RecordedSummary
  private let delayMs: Int64

  init(
    _ storage: PlayedStorage, _ process: SimulatedProcess, _ log: PlayedLog,
    _ summary: RecordedSummary, delayMs: Int64
  ) {
    self.storage = storage
    self.process = process
    self.log = log
    self.summary = summary
    self.delayMs = delayMs
  }

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    let fault = try await call("get", name, nil)
    if let value = fault?["return"] { return value.text.map { JavaScriptString($0) } }
    return storage.items[name].map { JavaScriptString($0) }
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    let fault = try await call("set", name, value.repaired)
    if fault?["drop"] == nil { storage.items[name] = value.repaired }
  }

  func removeItem(_ name: String) async throws(StoreError) {
    _ = try await call("remove", name, nil)
    storage.items[name] = nil
  }

  private func call(
    _ call: String, _ name: String, _ value: String?
  ) async throws(StoreError) -> JSONValue? {
    guard !process.isGone else { throw Self.failure("\(ProcessGone())") }
    let fault = storage.takeFault(call, name)
    var entry: JSONObject = ["key": .text(name)]
    entry["error"] = fault?["throw"]
    entry["dropped"] = fault?["drop"]
    entry["value"] = value.map { summary.stored($0) }
    log.add(call, entry)
    let index = log.entries.count - 1
    do throws(ProcessGone) {
      try await process.sleep(for: .milliseconds(fault?["hangMs"]?.integer ?? delayMs))
    } catch {
      throw Self.failure("\(error)")
    }
    if let took = fault?["hangMs"] { log.amend(index, "took", took) }
    if let message = fault?["throw"]?.text { throw Self.failure(message) }
    return fault
  }

  private static func failure(_ message: String) -> StoreError {
    .native(NativeError(message: message))
  }
}

/// The network of a trace: it answers with what the script has prepared.
final class PlayedNetwork {
  var replies: [JSONValue] = []
  private var requests: Int64 = 0

  /// The number of a request, counted over all clients.
  func number() -> Int64 {
    requests += 1
    return requests
  }

  /// Takes the first reply that fits.
  func takeReply(_ request: HTTPRequest, path: String) -> JSONValue? {
    let found = replies.firstIndex { reply in
      guard let words = reply["for"]?.text?.split(separator: " "), words.count == 2,
        request.method == words[0], path.hasPrefix(words[1])
      else { return false }
      return reply["grant"]?.text.map { path.hasSuffix("grant_type=\($0)") } ?? true
    }
    guard let found else { return nil }
    let reply = replies[found]
    if reply["repeat"]?.bool != true { replies.remove(at: found) }
    return reply
  }
}

final class PlayedTransport: HTTPTransport {
  private let network: PlayedNetwork
  private let process: SimulatedProcess
  private let log: PlayedLog
  private let trace: Trace
  private let clock: VirtualClock

  init(
    _ network: PlayedNetwork, _ process: SimulatedProcess, _ log: PlayedLog, _ trace: Trace,
    _ clock: VirtualClock
  ) {
    self.network = network
    self.process = process
    self.log = log
    self.trace = trace
    self.clock = clock
  }

  func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
    guard !process.isGone else { throw Self.lost }
    let path = String(request.target.dropFirst("/auth/v1".count))
    let number = network.number()
    log.add("request", entry(request, path, number))
    let reply = network.takeReply(request, path: path)
    let response = reply.map(response)
    let delayMs = reply?["delayMs"]?.integer ?? trace.milliseconds("replyDelayMs")
    do throws(ProcessGone) {
      let isHanging = reply?["hang"]?.bool == true
      try await process.sleep(for: isHanging ? .seconds(1_000_000) : .milliseconds(delayMs))
    } catch {
      throw Self.lost
    }
    guard let response, reply?["network"] == nil else {
      log.add("reply", ["id": .integer(number), "network": "error"])
      throw Self.lost
    }
    log.add("reply", ["id": .integer(number), "status": .integer(response.status)])
    return response
  }

  private static let lost = NetworkError(message: "Network request failed")

  private func entry(_ request: HTTPRequest, _ path: String, _ number: Int64) -> JSONObject {
    let bearer = request.headers["Authorization"]?.dropFirst("Bearer ".count) ?? ""
    var entry: JSONObject = [
      "bearer": bearer == trace.recording.text("anonKey")
        ? "anon" : .text(trace.recording.label(ofToken: String(bearer))),
      "id": .integer(number), "method": .text(request.method), "path": .text(path),
    ]
    if let body = try? JSONReader.read(request.body).value, let fields = body.object {
      entry["body"] = body
      entry["bodyKeys"] = .list(fields.members.map { .text($0.key) })
    }
    return entry
  }

  private func response(_ reply: JSONValue) -> HTTPResponse {
    var headers = HTTPHeaders()
    headers["x-supabase-api-version"] = "2024-01-01"
    for header in reply["headers"]?.object?.members ?? [] {
      headers[header.key] = header.value.text
    }
    let body = reply["body"].map { trace.recording.expanded($0, nowMs: clock.nowMs) }
    let bytes = body.map { JSONWriter.bytes(of: $0) } ?? Array((reply["text"]?.text ?? "").utf8)
    return HTTPResponse(Int(reply["status"]?.integer ?? 200), headers: headers, body: bytes)
  }
}

/// The fixed source of the recordings.
final class PlayedEntropy: Entropy {
  private var drawn = 0

  func bytes(_ count: Int) -> [UInt8] {
    defer { drawn += count }
    return (drawn..<drawn + count).map { UInt8((37 * $0 + 11) % 256) }
  }
}

final class PlayedConsole: Console {
  private(set) var lines: [String] = []

  func warn(_ text: String) { lines.append(text) }
  func error(_ text: String) { lines.append(text) }
}

/// The device's clock, which may be wrong.
final class PlayedClock: WallClock {
  private let clock: VirtualClock
  var skewMs: Int64

  init(_ clock: VirtualClock, skewMs: Int64) {
    self.clock = clock
    self.skewMs = skewMs
  }

  var nowMs: Int64 { clock.nowMs + skewMs }
}
