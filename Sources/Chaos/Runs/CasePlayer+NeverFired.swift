import Device
import JSON
import Linux
import Phone
import Ports
import Session
import Zoo

/// A fault that never fired: what was reached in its place, why, as far as the lab knows, and what to
/// write instead.
extension CasePlayer {
  /// Counts a fault that never fired, in clauses: the fault, what was reached, a likely why, what to try.
  func noteNeverFired(_ fault: FaultRequest, _ clauses: [String?]) {
    let place = stepLine > 0 ? ", line \(stepLine)" : ""
    faults.neverFired.append(
      (["\(fault)\(place)"] + clauses.compactMap(\.self)).joined(
        separator: FaultTally.clauseSeparator))
  }

  /// The same of one that waited for a moment of the device in the step under way.
  func noteNeverReached(_ fault: FaultRequest) {
    let operations = stepStart..<host.withDevice { $0.operationCount }
    let reached = points(in: operations)
    let names = reached.map(\.nameAndWords).joined(separator: ", ")
    noteNeverFired(
      fault,
      [
        "reached: \(names.isEmpty ? "no point" : names)",
        cause(of: fault, reached, operations).map { "likely why: \($0)" },
        stepLine > 0 ? advice(on: fault).map { "try: \($0)\(adviceOnProgram)" } : nil,
      ])
  }

  // MARK: - Why

  private func cause(
    of fault: FaultRequest, _ reached: [LogicalPoint], _ operations: Range<Int>
  ) -> String? {
    switch fault.trigger {
    case .point(let point, let occurrence):
      let count = reached.count { $0 == point }
      return count > 0
        ? "the step comes there \(count == 1 ? "once" : "\(count) times"), and the fault waits for "
          + "time \(occurrence)"
        : cause(ofMissing: point, reached)
    case .operation(let count):
      return "the step makes \(made(in: operations) { $0.kind != .point }) operations, fewer than "
        + "\(count)"
    case .call(let kind, let pattern, _):
      let all = made(in: operations) { $0.kind == kind }
      let fitting = made(in: operations) { $0.kind == kind && pattern.matches($0.path) }
      return
        "the step makes \(Counted.words(all, "\(kind.rawValue) call")), \(fitting) of them of \(pattern.text)"
    case .each, .eachOperation, .request, nil: return nil
    }
  }

  private func made(
    in operations: Range<Int>, _ isMeant: (OperationRecord) -> Bool
  ) -> Int {
    host.withDevice { $0.log }
      .count { operations.contains($0.number.number - 1) && isMeant($0) }
  }

  private func cause(ofMissing point: LogicalPoint, _ reached: [LogicalPoint]) -> String? {
    let phone = host.state.withLock { $0.phone.kind }
    switch point {
    case .manifestWritten where phone == .android:
      return "android has no manifest: AsyncStorage is a database there"
    case .manifestWritten where reached.contains(.blobWritten):
      return "on ios a second save of a long value leaves the manifest untouched"
    case .beforeKey, .keyWritten, .itemCommitted: return cause(ofUntouched: .key, "key")
    case .beforeBlob, .blobWritten, .manifestWritten: return cause(ofUntouched: .blob, "blob")
    case .saveAcknowledged where reached.contains(.saveBegins): return "the save ended in an error"
    case .saveBegins, .saveAcknowledged: return "the step saves nothing"
    case .recoveryBegins, .recoveryEnds:
      return "only a read that finds half a save begins a recovery, in a store that mends it"
    case .browserOpened where client == nil:
      return "only an app with its client opens the browser: settings: { client: \"seed\" }"
    case .browserOpened: return "no page of the browser is opened in this step"
    case .eventEmitted: return nil
    }
  }

  private func cause(ofUntouched half: StoreKind.Parts, _ word: String) -> String? {
    guard let kind = KnownStores.named(launch.foreign?.expectAs ?? launch.store) else { return nil }
    if !kind.parts.contains(half) { return "the store \(kind.name) never touches the \(word) half" }
    return half == .key && !kind.savesChangeKey
      ? "\(kind.name) writes its key once; a later save leaves the key half untouched" : nil
  }

  // MARK: - What else

  /// A program need not do what a scenario waits for.
  private var adviceOnProgram: String {
    guard let foreign = launch.foreign, foreign.expectAs == nil else { return "" }
    return ", or --expect-as STORE, which is built like the program"
  }

  private func advice(on fault: FaultRequest) -> String? {
    let kind = fault.kind.rawValue
    switch fault.trigger {
    case .point(let point, let occurrence):
      let line = occurrence == 1 ? line(ofStepThatReached: point) : nil
      return "\"\(kind)@each\" (follows what is really reached)"
        + (line.map { ", or arm it in line \($0), which comes there" } ?? "")
    case .operation: return "\"\(kind)@each-op\" (follows what is really done)"
    case .call(let operation, _, _): return "\"\(kind)@\(operation.rawValue):*\" (any file)"
    case .each, .eachOperation, .request, nil: return nil
    }
  }
}
