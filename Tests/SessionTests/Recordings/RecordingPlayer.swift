import JSON
import Ports
import Session
import Simulation

/// Runs the script of a trace with our client.
///
/// Time is virtual and moves in the step `advance` only. Each client has a process of its own, which
/// the step `kill` ends.
final class RecordingPlayer {
  let log: PlayedLog
  private let trace: Trace
  private let profile: AuthSettings.Profile
  private let simulator: Simulator
  private let clock: PlayedClock
  private let summary: RecordedSummary
  private let storage = PlayedStorage()
  private let network = PlayedNetwork()
  private let entropy = PlayedEntropy()
  let console = PlayedConsole()
  /// Whether all tasks have ended with their processes.
  private(set) var outcome: Outcome?
  private var process: SimulatedProcess?
  private var client: AuthClient?
  private var subscriptions: [String: () -> Void] = [:]
  private var calls = 0
  private var open: [String] = []

  /// Makes a player.
  ///
  /// - Parameters:
  ///   - trace: What to play.
  ///   - profile: The kind of client.
  ///   - choices: What decides between things that are due at the same time: the earlier one first,
  ///     as in JavaScript, unless said.
  init(
    _ trace: Trace, _ profile: AuthSettings.Profile = .seed,
    _ choices: any ChoiceSource = GivenOrder([])
  ) {
    self.trace = trace
    self.profile = profile
    simulator = Simulator(
      Choices(choices), startMs: trace.json["clockStart"]?.integer ?? 0)
    clock = PlayedClock(simulator.clock, skewMs: trace.milliseconds("clientSkewMs"))
    log = PlayedLog(simulator.clock)
    summary = RecordedSummary(recording: trace.recording)
    for item in trace.json["initialStorage"]?.object?.members ?? [] {
      put(item.key, item.value)
    }
  }

  /// Ids of calls of the last client that never settled.
  var pending: JSONValue { .list(open.map(JSONValue.text)) }

  var finalStorage: JSONValue {
    .object(
      JSONObject(storage.items.map { .init(key: $0.key, value: summary.stored($0.value)) }))
  }

  /// Verifiers that were stored at some time.
  var verifiers: [String] {
    log.entries.compactMap { entry in
      guard entry["key"]?.text?.hasSuffix("-code-verifier") == true else { return nil }
      return entry["value"]?["json"]?.text
    }
  }

  /// Plays the script to its end.
  func run() {
    // Without something that lies ahead, a run would end the processes.
    let future = simulator.launch("future") { process in
      do throws(ProcessGone) { try await process.sleep(for: .seconds(10_000_000)) } catch { return }
    }
    for step in trace.script { play(step) }
    process?.kill()
    future.kill()
    outcome = simulator.run()
  }

  private func play(_ step: JSONValue) {
    switch step["op"]?.text {
    case "create": create()
    case "kill":
      process?.kill()
      open = []
      log.add("killed", [:])
    case "subscribe": subscribe(step)
    case "unsubscribe": subscriptions[step["id"]?.text ?? ""]?()
    case "call": call(step)
    case "foreground": call(["api": "startAutoRefresh"])
    case "background": call(["api": "stopAutoRefresh"])
    case "reply": network.replies.append(step)
    case "clearReplies": network.replies = []
    case "fault":
      storage.faults.append(
        PlayedStorage.Fault(
          call: step["on"]?.text ?? "", key: step["key"]?.text, effect: step,
          timesLeft: step["times"]?.integer.map(Int.init) ?? .max))
    case "clearFaults": storage.faults = []
    case "store": put(step["key"]?.text ?? "", step["value"] ?? .null)
    case "skew": clock.skewMs = step["ms"]?.integer ?? 0
    case "advance":
      _ = simulator.run(
        until: .milliseconds(log.elapsedMs + (step["ms"]?.integer ?? 0)))
    default: log.add("call", ["unknown": step])
    }
  }

  private func put(_ key: String, _ value: JSONValue) {
    let text = value["text"]?.text
    let json = value["json"].map {
      JSONWriter.text(of: trace.recording.expanded($0, nowMs: simulator.clock.nowMs))
    }
    storage.items[key] = text ?? json
  }

  private func create() {
    let process = simulator.process("app")
    let options = trace.json["options"]
    var settings = AuthSettings(
      baseURL: trace.recording.text("baseUrl"), anonKey: trace.recording.text("anonKey"),
      storageKey: trace.recording.text("storageKey"), profile: profile)
    settings.sdk = SDKVersion(trace.recording.version) ?? .current
    settings.flowType = options?["flowType"]?.text == "implicit" ? .implicit : .pkce
    settings.refreshesAutomatically = options?["autoRefreshToken"]?.bool ?? true
    settings.hasWebCrypto = options?["webCrypto"]?.bool ?? true
    let store = PlayedStore(
      storage, process, log, summary, delayMs: trace.milliseconds("storageDelayMs"))
    let transport = PlayedTransport(network, process, log, trace, simulator.clock)
    client = AuthClient(
      settings,
      AuthPorts(
        store: store, transport: transport, clock: clock, sleeper: process, spawner: process,
        entropy: entropy, console: console))
    self.process = process
  }

  private func subscribe(_ step: JSONValue) {
    guard let process, let client else { return }
    let id = step["id"]?.text ?? ""
    var reactions = step["on"]?.object ?? [:]
    if reactions.members.isEmpty, step["on"] != nil {
      // The recorder took this reaction out of the script when it had happened once.
      reactions["TOKEN_REFRESHED"] = ["call": "refreshSession", "once": true]
    }
    subscriptions[id] = client.onAuthStateChange { event, session in
      guard !process.isGone else { return }
      self.log.add(
        "event",
        [
          "event": .text(event.rawValue), "session": self.summary.session(session?.json),
          "sub": .text(id),
        ])
      guard let reaction = reactions[event.rawValue] else { return }
      if reaction["once"]?.bool == true { reactions[event.rawValue] = nil }
      if let message = reaction["throw"]?.text { throw ListenerFailure(description: message) }
      let call = self.begin(reaction, client)
      if reaction["await"]?.bool == false {
        process.spawn("not awaited") { await call(process) }
      } else {
        await call(process)
      }
    }
  }

  private struct ListenerFailure: Error, CustomStringConvertible {
    var description: String
  }

  private func call(_ step: JSONValue) {
    guard let process, let client else { return }
    let call = begin(step, client)
    process.spawn("call") { await call(process) }
  }

  /// Notes a call; what is returned makes it.
  private func begin(
    _ step: JSONValue, _ client: AuthClient
  ) -> (SimulatedProcess) async -> Void {
    calls += 1
    let id = "c\(calls)"
    open.append(id)
    let name = step["api"]?.text ?? step["call"]?.text ?? ""
    var entry: JSONObject = ["api": .text(name), "id": .text(id)]
    entry["args"] = step["args"]
    log.add("call", entry)
    let arguments = (step["args"]?.list ?? []).map {
      trace.recording.expanded($0, nowMs: simulator.clock.nowMs)
    }
    let call = PlayedCall(api: name, arguments: arguments, client: client, summary: summary)
    return { process in
      let kind: String
      let outcome: JSONObject
      do throws(AuthError) {
        outcome = ["id": .text(id), "value": try await call.value()]
        kind = "result"
      } catch {
        outcome = ["error": self.summary.error(error), "id": .text(id)]
        kind = "rejected"
      }
      guard !process.isGone else { return }
      self.open.removeAll { $0 == id }
      self.log.add(kind, outcome)
    }
  }
}
