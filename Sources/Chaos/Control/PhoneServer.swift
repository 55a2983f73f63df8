import Device
package import JSON
package import Linux
package import Mount
import Phone
import Ports

/// Serves the control socket of a mounted phone: what people and scripts tell it.
///
/// Every message is answered, and an injection only when it is done.
package final class PhoneServer: Sendable {
  let host: PhoneHost
  private let name: String
  /// Whether the phone is to end, once somebody asked for it.
  private let ending = Locked(false)
  /// How the end went: `nil` until it is over, then what was wrong, if anything.
  private let conclusion = Locked<String??>(nil)
  private let start: Moment
  /// One command at a time: two injections never mix.
  private let turn = Locked(())
  /// The last change by a command, for `undo`.
  let lastChange = Locked<Change?>(nil)
  /// The last look, for as long as nothing has changed.
  let kept = Locked<PhoneLook?>(nil)
  /// What brings back what the latest faults took.
  let automatic = Locked(AutomaticSnapshots())
  let seen = Locked(SeenValues())
  /// Which store the last app used.
  let lastStore = Locked<String?>(nil)

  /// What a command did, and the phone as it was before.
  struct Change: Sendable {
    fileprivate let moment: Moment
    let number: Int
    let report: InjectReport
  }

  package init(_ host: PhoneHost, name: String) {
    self.host = host
    self.name = name
    start = Moment(host)
  }

  /// Answers one message.
  package func answer(_ message: String, passing passed: Descriptor?) -> String {
    let verb: PhoneVerb
    do {
      verb = try PhoneVerb(message)
    } catch {
      return PhoneAnswer.misunderstood("\(error)").text
    }
    // Who looks on does not wait for what is going on.
    if case .look = verb { return answer(verb, passed).text }
    return turn.withLock { _ in answer(verb, passed) }.text
  }

  /// Waits until somebody asks the phone to end; `false` when the time ran out.
  package func waitUntilAsked(timeoutMs: Int) -> Bool {
    ending.wait(timeoutMs: timeoutMs) { $0 ? true : nil } ?? false
  }

  /// Tells whoever asked for the end how it went.
  package func conclude(_ problem: String?) {
    conclusion.withLock { $0 = .some(problem) }
  }

  private func answer(_ verb: PhoneVerb, _ passed: Descriptor?) -> PhoneAnswer {
    do {
      return .result(try perform(verb, passed))
    } catch let error as FaultGrammarError {
      return .misunderstood(
        error.reason + (error.allowed.map { "   allowed: \($0)" } ?? ""))
    } catch {
      return .refused("\(error)")
    }
  }

  private func perform(_ verb: PhoneVerb, _ passed: Descriptor?) throws -> JSONValue {
    switch verb {
    case .status: return status
    case .faults: return faults
    case .inject(let order): return try inject(order).json
    case .disarm(let id):
      let isKnown = host.mounted.withDevice { device in
        device.disarm(FaultID(id))
        return device.faults.entries.contains { $0.id == FaultID(id) }
      }
      guard isKnown else {
        throw PhoneHostError.refused("no fault has the number \(id).  do: lab faults")
      }
      return faults
    case .release: return release()
    case .reset(let device): return try reset(device: device)
    case .snapshot(let name, let half): return try snapshot(name, half)
    case .restore(let name, let half, let device): return try restore(name, half, device)
    case .register(let name): return try register(name, passed)
    case .app(let words): return try app(words)
    case .lint(let operation): return try lint(since: operation)
    case .look(let store): return try look(store: store)
    case .undo(let change): return try undo(change)
    case .unmount:
      let result = faults
      ending.withLock { $0 = true }
      if let problem = conclusion.wait(timeoutMs: 20_000, until: { $0 }) ?? nil {
        throw PhoneHostError.refused("unmounted, but not saved: \(problem)")
      }
      return result
    }
  }

  // MARK: - Reports

  /// What the phone is and does now; also the content of `.lab/status.json`.
  package var status: JSONValue {
    let (phone, setup, oldest) = host.state.withLock { ($0.phone, $0.setup, $0.oldestSaved) }
    let device = host.mounted.withDevice { device in
      (
        operations: device.operationCount, oldest: device.log.first?.number,
        free: device.freeBytes
      )
    }
    let since = oldest ?? device.oldest ?? OperationNumber(device.operations + 1)
    let members = host.mounted.supervisor.members.map { member -> JSONValue in
      [
        "name": .text(member.name), "pid": .integer(Int(member.process)),
        "role": .text(member.role.rawValue),
      ]
    }
    return [
      "schema": "lab.status/1", "name": .text(name), "phone": .text(phone.kind.rawValue),
      "lockState": .text(phone.lockState.rawValue), "installed": .bool(phone.isInstalled),
      "operations": .integer(device.operations), "operationsSince": .integer(since.number),
      "requests": .integer(host.mounted.requestCount), "freeBytes": .integer(device.free),
      "capacityBytes": .integer(setup.capacityBytes),
      "clock": setup.seed == nil ? "real" : "virtual", "processes": .list(members),
      "held": .list(host.mounted.held.map { .text($0.words) }),
      "toolErrors": .object(
        JSONObject(
          host.mounted.toolErrors.map { .init(key: $0.key, value: .integer($0.value)) })),
      "faults": faults["faults"] ?? .list([]), "snapshots": snapshots,
    ]
  }

  /// The content of `.lab/operations.ndjson`, in parts: one line for each operation in memory.
  package var operations: [TextPart] {
    host.mounted.withDevice { $0.log }.segments.map { segment in
      { segment.records.map { JSONWriter.text(of: $0.json) + "\n" }.joined() }
    }
  }

  private var faults: JSONValue {
    let entries = host.mounted.withDevice { $0.faults.entries }
    let requests = host.state.withLock { $0.requests }
    return [
      "schema": "lab.faults/1",
      "problems": .list(host.eventFailures.map(JSONValue.text)),
      "faults": .list(
        entries.map { entry in
          let words = requests[entry.id]?.description ?? entry.fault.name
          return [
            "id": .integer(entry.id.number), "fault": .text(words),
            "status": .text(Self.words(entry)), "fired": .integer(entry.firedCount),
          ]
        }),
    ]
  }

  private static func words(_ entry: FaultBoard.Entry) -> String {
    if entry.firedCount == 0 { return entry.isArmed ? "armed" : "expired" }
    return entry.isArmed
      ? "fired \(entry.firedCount) of \(entry.fault.times), still armed" : "fired"
  }

  // MARK: - Faults

  private func inject(_ order: PhoneVerb.InjectOrder) throws -> InjectReport {
    let request = try FaultRequest(
      order.text, at: order.at, times: order.times, parameters: order.parameters)
    if let trigger = request.trigger {
      guard !trigger.isSpread else {
        throw FaultGrammarError("'\(trigger)' belongs into a scenario; name one point here")
      }
      var report = InjectReport(fault: request.kind.rawValue, status: "armed")
      report.phone = host.kind.rawValue
      report.id = try host.arm(request).number
      report.moment = "\(trigger)"
      return report
    }
    let volatile = host.mounted.withDevice { $0.volatileDomains.sorted() }
    var report = try change(by: request.kind.rawValue) { before, after in
      request.kind.mayHaveTaken(from: before, to: after, wasVolatile: !volatile.isEmpty)
    } body: {
      try host.happen(request)
    }
    if request.kind == .powerCut { report.volatile = volatile }
    report.rule = report.rule ?? request.kind.rule
    return report
  }

  /// Has something happen, and notes what both halves held before and after.
  ///
  /// - Parameters:
  ///   - word: What happens.
  ///   - bringsBack: Whether what was stored earlier comes back by it.
  ///   - isLoss: Whether it took something for which a snapshot is kept, by what was and is stored.
  ///   - body: Has it happen.
  /// - Returns: What it did.
  /// - Throws: What `body` throws.
  private func change(
    by word: String, bringsBack: Bool = false, isLoss: (Inventory, Inventory) -> Bool,
    body: () throws -> PhonePlan?
  ) throws -> InjectReport {
    let before = try host.inventory()
    let moment = Moment(host)
    defer { kept.withLock { $0 = nil } }
    let plan = try body()
    host.mounted.waitUntilServing()
    let after = try host.inventory()
    seen.withLock { seen in
      seen.note(before)
      seen.note(after)
    }
    var report = InjectReport(fault: word, status: "done")
    report.phone = host.kind.rawValue
    report.note(before: before.items, after: after.items)
    report.rule = plan?.reason
    report.isSynthetic = plan?.isSynthetic ?? false
    if isLoss(before, after) {
      let taken = Set(moment.state.phone.snapshots.keys)
      report.snapshot = automatic.withLock { $0.keep(moment, before: word, besides: taken) }
    }
    if bringsBack { report.noteReturned(before: before.items) }
    lastChange.withLock { last in
      last = Change(moment: moment, number: (last?.number ?? 0) + 1, report: report)
    }
    return report
  }

  private func release() -> JSONValue {
    let held = host.mounted.held
    for operation in held { host.mounted.release(operation) }
    return [
      "schema": "lab.faults/1", "released": .list(held.map { .text($0.words) }),
      "faults": faults["faults"] ?? .list([]),
    ]
  }

  private func reset(device: Bool) throws -> JSONValue {
    host.disarmAll()
    guard device else { return faults }
    return try bringBack(by: "reset") { try goBack(to: start) }
  }

  private func undo(_ number: Int) throws -> JSONValue {
    guard let last = lastChange.withLock({ $0 }), last.number == number else {
      throw PhoneHostError.refused("something else has happened since; it is not taken back")
    }
    return try bringBack(by: "undo", keepsMoment: false) { try goBack(to: last.moment) }
  }

  private func goBack(to moment: Moment) throws -> PhonePlan? {
    try host.goBack(to: moment.volume, moment.state)
    return nil
  }

  /// Has something stored earlier come back over what is stored now, of which a snapshot is kept.
  private func bringBack(
    by word: String, keepsMoment: Bool = true, _ body: () throws -> PhonePlan?
  ) throws -> JSONValue {
    try change(
      by: word, bringsBack: true,
      isLoss: { keepsMoment && ($0 != $1 || $0.keys == nil) }, body: body
    ).json
  }

  // MARK: - Lint

  /// The log is taken first: the keychain's service may write when it is asked.
  private func lint(since operation: Int) throws -> JSONValue {
    let device = host.mounted.withDevice { $0 }
    guard device.operationCount > 0 else { return LintReport().json() }
    return Linter.report(on: device, try host.inventory(), since: operation).json(withTimes: true)
  }

  // MARK: - Backups

  private func snapshot(_ name: String, _ half: Scenario.HalfChoice) throws -> JSONValue {
    if let problem = SnapshotName.problem(of: name) { throw PhoneHostError.refused(problem) }
    guard automatic.withLock({ $0[name] }) == nil else {
      throw PhoneHostError.refused(
        "'\(name)' was taken by itself, and stays as it is.  do: choose another name")
    }
    try host.happen(.snapshot(half.halves, name: name))
    let items = try host.inventory().items
    return [
      "schema": "lab.snapshot/1", "name": .text(name), "half": .text(half.rawValue),
      "items": .list(items.map(\.json)),
    ]
  }

  private func restore(
    _ name: String, _ half: Scenario.HalfChoice, _ device: String
  ) throws -> JSONValue {
    if let moment = automatic.withLock({ $0[name] }) {
      guard half == .both, device == BackupTarget.sameDevice.rawValue else {
        throw PhoneHostError.refused(
          "'\(name)' is the whole phone as it was, and comes back as one.  do: lab restore \(name)")
      }
      return try bringBack(by: "restore") { try goBack(to: moment) }
    }
    let taken = host.state.withLock { Array($0.phone.snapshots.keys) }
    guard taken.contains(name) else {
      let names = taken + automatic.withLock { $0.entries.map(\.name) }
      let nearest = NearestWord.to(name, among: names.sorted()).map { "; nearest: \($0)" } ?? ""
      throw PhoneHostError.refused("no snapshot '\(name)'\(nearest).  do: lab status")
    }
    return try bringBack(by: "restore") {
      try host.happen(
        .restore(
          half.halves, name: name, onto: BackupTarget(rawValue: device) ?? .sameDevice,
          half == .both ? .platform : .verbatim))
    }
  }

  // MARK: - Processes

  private func register(_ name: String, _ passed: Descriptor?) throws -> JSONValue {
    guard let passed else { throw PhoneHostError.refused("no process came with the message") }
    let number = try host.mounted.supervisor.register(
      Pidfd(owning: passed), role: .app, name: name)
    return ["process": .integer(Int(number.number))]
  }

  private func app(_ words: [String]) throws -> JSONValue {
    if let index = words.firstIndex(of: "--store"), words.indices.contains(index + 1) {
      lastStore.withLock { $0 = words[index + 1] }
    }
    noteSeen()
    return ["command": .list(try host.liveAppCommand(words).map(JSONValue.text))]
  }

  /// Notes what the last app has left, before the next one replaces it.
  private func noteSeen() {
    let (device, state) = (host.mounted.withDevice { $0 }, host.state.withLock { $0 })
    // A copy, because a question to the phone's own service counts in what that draws.
    // Of a full phone there may be none: it only costs a number.
    guard let twin = try? PhoneTwin(device, state, nowMs: host.nowMs) else { return }
    seen.withLock { $0.note(twin.before) }
  }
}
