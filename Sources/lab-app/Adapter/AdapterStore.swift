import Crypto
import JSON
import Phone
import Ports
import Session
import Simulation

/// The store of a program of somebody else's, over the phone's native modules of this process.
///
/// The program is started with the first call. While it works on a command, its calls of native
/// modules are carried out one after the other, in the order in which it makes them. Commands that
/// overlap are given to it at once when it has said that it takes them, and otherwise in turn.
final class AdapterStore: SessionStore, SystemListener {
  static let protocolName = "lab.adapter/1"
  /// A program that calls more often in one command will never end.
  private static let callsMax = 2_000

  private let launch: AdapterProgram.Launch
  private let modules: AdapterModules
  private let clock: any WallClock
  /// What the program is told of the phone.
  private let phone: JSONValue
  private var program: AdapterProgram?
  private var isConcurrent = false
  private let turns = SerialQueue()
  private var lastID = 0
  /// Commands without an answer, with how many calls were made meanwhile.
  private var open: [Int: Int] = [:]
  private var answers: [Int: Answer] = [:]
  private var isListening = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Whether calls of native modules that wait at the same time are let go in the order that the
  /// scheduler decides, and not as the program makes them: while saves overlap.
  var isOrdered = false
  /// Calls that wait for their turn, or are being carried out.
  private var pendingCount = 0
  private var sleeper: CheckedContinuation<Void, Never>?
  /// What the program did against the protocol; nothing after it counts.
  private(set) var problem: AdapterProblem?

  private struct Answer {
    let value: String?
    let isConcurrent: Bool
    let error: NativeError?
  }

  init(
    _ launch: AdapterProgram.Launch, _ modules: AdapterModules, clock: any WallClock,
    platform: PhoneKind, rule: SizeRule
  ) {
    self.launch = launch
    self.modules = modules
    self.clock = clock
    phone = ["platform": .text(platform.rawValue), "sizeRule": .text(rule.rawValue)]
  }

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    let value = try await answer(to: "get", ["item": .text(name)]).value
    if let value { modules.secrets.learn(value) }
    return value.map(JavaScriptString.init(_:))
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    modules.secrets.learn(value.repaired)
    _ = try await answer(to: "set", ["item": .text(name), "value": .text(value.repaired)])
  }

  func removeItem(_ name: String) async throws(StoreError) {
    _ = try await answer(to: "remove", ["item": .text(name)])
  }

  func become(_ state: AppState) async throws(StoreError) {
    _ = try await answer(to: state == .active ? "foreground" : "background", [:])
  }

  func open(_ url: String) async throws(StoreError) {
    _ = try await answer(to: "url", ["url": .text(url)])
  }

  // MARK: - Commands

  private func answer(
    to command: String, _ fields: JSONObject
  ) async throws(StoreError) -> Answer {
    await turns.enter()
    var hasTurn = true
    defer { if hasTurn { turns.leave() } }
    let answer: Answer
    do {
      try await start()
      if isConcurrent {
        turns.leave()
        hasTurn = false
      }
      answer = try await ask(command, fields)
    } catch {
      let known = error as? AdapterProblem
      problem = problem ?? known ?? program?.problem("cannot be reached: \(error)")
      throw .native(NativeError(message: "the app broke the protocol"))
    }
    if let error = answer.error { throw .native(error) }
    return answer
  }

  private func start() async throws {
    if let problem { throw problem }
    guard program == nil else { return }
    program = try AdapterProgram(launch, modules.secrets)
    let started = try await ask(
      "launch",
      [
        "protocol": .text(Self.protocolName), "phone": phone,
        "entropy": .text(Hexadecimal.encode(modules.ports.entropy.bytes(32))),
      ])
    if let error = started.error { throw try refused("launch", error) }
    isConcurrent = started.isConcurrent
    let way = modules.state == .active ? "foreground" : "background"
    if let error = try await ask(way, [:]).error { throw try refused(way, error) }
  }

  private func refused(_ command: String, _ error: NativeError) throws -> AdapterProblem {
    try running().problem("refused '\(command)': \(modules.secrets.shown(error.message))")
  }

  private func running() throws -> AdapterProgram {
    guard let program else { preconditionFailure("a command is given to a program that runs") }
    if let problem { throw problem }
    return program
  }

  private func ask(_ command: String, _ fields: JSONObject) async throws -> Answer {
    lastID += 1
    let id = lastID
    if command == "foreground" { modules.state = .active }
    if command == "background" { modules.state = .background }
    var message = fields
    message["id"] = .integer(id)
    message["do"] = .text(command)
    message["nowMs"] = .integer(clock.nowMs)
    open[id] = 0
    if command == "set" { modules.saveCount += 1 }
    defer { if command == "set" { modules.saveCount -= 1 } }
    try running().begin(command)
    try running().send(.object(message))
    stir()
    while true {
      if let problem { throw problem }
      if let answer = answers.removeValue(forKey: id) { return answer }
      if isListening {
        await withCheckedContinuation { waiting.append($0) }
        continue
      }
      isListening = true
      defer {
        isListening = false
        for one in waiting { one.resume() }
        waiting = []
      }
      do {
        try await listen()
      } catch {
        problem = problem ?? (error as? AdapterProblem)
        throw error
      }
    }
  }

  // MARK: - Messages

  /// Takes one message of the program, and carries out what it asks for, or has that wait for its turn.
  private func listen() async throws {
    let program = try running()
    guard let message = try await next(program) else { return }
    guard let fields = message.value.object else {
      throw program.problem("printed a message that is no object, but a \(message.kind)")
    }
    let number = try program.member("call", of: message, "a number") { node in
      ["number", "text"].contains(node.kind) ? node.value : nil
    }
    if let number {
      guard takesTurns else { return try await carryOut(number, message, program) }
      pendingCount += 1
      modules.process.spawn("call") {
        do {
          try await self.carryOut(number, message, program)
        } catch {
          self.problem =
            self.problem ?? (error as? AdapterProblem)
            ?? program.problem("cannot be reached: \(error)")
        }
        self.pendingCount -= 1
        self.stir()
      }
    } else if let id = try program.member(
      "id", of: message, "a whole number", { $0.value.integer.flatMap { Int(exactly: $0) } })
    {
      guard open.removeValue(forKey: id) != nil else {
        let how = (1...max(1, lastID)).contains(id) ? "twice" : "though it was never given"
        throw program.problem("answered command \(id) \(how)")
      }
      answers[id] = try answer(message, program)
    } else {
      let keys = fields.members.map(\.key).joined(separator: ", ")
      throw program.problem(
        "printed a message with neither 'id' nor 'call' (it has: \(modules.secrets.shown(keys)))")
    }
  }

  private var takesTurns: Bool { isOrdered && isConcurrent }

  /// Whether commands that were to overlap were given to the program one by one.
  var hasTakenTurns: Bool { isOrdered && !isConcurrent }

  /// The next message; `nil` when something else has happened: a call was carried out, or a command was
  /// given. As long as a command may still make a call, the scheduler has to wait for it: else what may
  /// overlap would depend on how fast the program is.
  private func next(_ program: AdapterProgram) async throws -> JSONNode? {
    guard takesTurns, pendingCount > 0 else { return try program.next() }
    if pendingCount < open.count, let message = try program.nextUnlessAtRest() { return message }
    await withCheckedContinuation { sleeper = $0 }
    return nil
  }

  /// Lets the listener look again.
  private func stir() {
    sleeper?.resume()
    sleeper = nil
  }

  private func answer(_ message: JSONNode, _ program: AdapterProgram) throws -> Answer {
    let text = { (node: JSONNode) in node.value.text }
    let value = try program.member("value", of: message, "a text or null", text)
    let isConcurrent = try program.member("concurrent", of: message, "true or false") {
      $0.value.bool
    }
    var error: NativeError?
    if let given = message["error"], given.content != .null {
      guard let reason = try program.member("message", of: given, "a text", text) else {
        throw program.problem("answered with an error that has no text as its 'message'")
      }
      let code = try program.member("code", of: given, "a text or null", text)
      error = NativeError(
        code: code.map { modules.secrets.shown($0) }, message: modules.secrets.shown(reason))
    }
    return Answer(value: value, isConcurrent: isConcurrent ?? false, error: error)
  }

  private func carryOut(
    _ number: JSONValue, _ message: JSONNode, _ program: AdapterProgram
  ) async throws {
    guard let method = message["method"]?.value.text else {
      throw program.problem("made a call without a text as its 'method'")
    }
    for (id, count) in open { open[id] = count + 1 }
    guard open.values.allSatisfy({ $0 <= Self.callsMax }) else {
      throw program.problem("made more than \(Self.callsMax) calls in one command")
    }
    var arguments: [JSONNode] = []
    if let given = message["arguments"] {
      guard case .list(let nodes) = given.content else {
        let call = modules.secrets.shown(method)
        throw program.problem("called \(call) with 'arguments' that are no list")
      }
      arguments = nodes
    }
    var reply: JSONObject = ["call": number]
    do throws(AdapterModules.Refusal) {
      reply["value"] = try await modules.call(method, arguments)
    } catch {
      switch error {
      case .misuse(let reason): throw program.problem(reason)
      case .native(let error):
        reply["error"] = [
          "code": error.code.map(JSONValue.text) ?? .null, "message": .text(error.message),
        ]
      }
    }
    try program.send(.object(reply))
  }
}
