import Ports
import Simulation

/// One half as memory, which answers at once.
final class MemoryHalf: SecureStorage, PlainStorage {
  var items: [String: String] = [:]

  func item(_ name: String) async throws(NativeError) -> String? { items[name] }
  func setItem(_ name: String, to value: String) async throws(NativeError) { items[name] = value }
  func removeItem(_ name: String) async throws(NativeError) { items[name] = nil }
}

/// Notes what reached it.
final class Journal: Console, TracePoint, AcknowledgementSink {
  var lines: [String] = []

  func warn(_ text: String) { lines.append(text) }
  func error(_ text: String) { lines.append(text) }
  func reach(_ point: LogicalPoint) { lines.append(point.rawValue) }
  func append(_ line: String) { lines.append(line) }
}

/// Three tasks of one process that write to one storage.
struct Writers {
  let outcome: Outcome
  let steps: [Step]
  let digest: UInt64
  let decisions: [Decision]

  /// Runs tasks that make `calls` calls each, with one step for a call.
  init(_ choices: Choices, tasks: Int = 3, calls: Int) {
    let half = MemoryHalf()
    let simulator = Simulator(choices, interleaving: .beforeCalls)
    simulator.launch("app") { process in
      let plain = process.plainStorage(over: half)
      for task in 0..<tasks {
        process.spawn("task \(task)") {
          for call in 0..<calls { _ = try? await plain.setItem("item", to: "\(task) \(call)") }
        }
      }
    }
    outcome = simulator.run()
    steps = simulator.steps
    digest = simulator.traceDigest
    decisions = choices.decisions
  }
}
