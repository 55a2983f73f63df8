import Chaos
import JSON
import Linux
import Terminal

/// `lab worker`: the side of ``Workforce`` in its child processes. It takes an order on stdin, does its
/// units one after the other, and says what each came to in a line on stdout.
enum WorkerCommand {
  static let name = "worker"

  static var command: Command {
    var command = Command(name, "does a part of the work of another lab", run: run)
    command.isHidden = true
    return command
  }

  /// What a child is to do.
  struct Order {
    let work: SharedWork
    let shard: Shard
    /// When the last unit may begin, by the machine's monotonic clock; `nil`: it is never too late.
    let endNs: Int64?

    init(_ work: SharedWork, _ shard: Shard, endNs: Int64?) {
      self.work = work
      self.shard = shard
      self.endNs = endNs
    }

    init(_ node: JSONNode) throws {
      var reader = try node.object("an order", keys: ["schema", "plan", "shard", "endNs"])
      shard = try Shard(try reader.required("shard").text())
      work = try SharedWork(
        schema: try reader.required("schema").text(), plan: try reader.required("plan"))
      endNs = try reader.optional("endNs").map { Int64(try $0.integer(in: 0...Int.max)) }
    }

    var json: JSONValue {
      var fields = JSONObject()
      fields["schema"] = .text(work.schema)
      fields["plan"] = work.plan
      fields["shard"] = .text(shard.description)
      fields["endNs"] = endNs.map { .integer(Int($0)) }
      return .object(fields)
    }
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    do {
      let order = try Order(JSONReader.read(Descriptor(borrowing: 0).readAll()))
      return try work(order, console)
    } catch {
      let failure = error as? Failure ?? Failure.couldNotRun("\(error)")
      say(
        [
          "failure": [
            "code": .integer(Int(failure.code.rawValue)),
            "lines": .list(failure.lines.map(JSONValue.text)),
          ]
        ], console)
      return failure.code
    }
  }

  private static func work(_ order: Order, _ console: Console) throws -> ExitCode {
    let interrupts = try Interrupts(console, nil)
    let worker = try UnitWorker(order.work, order.shard, console) { interrupts.isRaised }
    defer { worker.close() }
    for number in order.work.order(of: order.shard) {
      if interrupts.isRaised { return .interrupted }
      if let endNs = order.endNs, Clocks.monotonicNs >= endNs { break }
      let result = try ForeignAppOption.reported { () throws(PhoneHostError) in
        try worker.perform(number)
      }
      say(["unit": .integer(number), "result": result], console)
    }
    say(["end": true], console)
    return .asExpected
  }

  private static func say(_ value: JSONValue, _ console: Console) {
    console.result(JSONWriter.text(of: value))
  }
}
