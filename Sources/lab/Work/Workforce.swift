import Chaos
import Glibc
import JSON
import Linux
import Terminal

/// Child processes that share numbered work, each a shard of it.
///
/// The contract. What a unit comes to does not depend on who does it, so the results are the same for
/// any number of children. A child dies with this process, by the kernel's doing. A child that ends
/// before its work does is a defect of the lab, and is named; the others go on.
final class Workforce {
  /// What the children came to.
  struct Ending {
    /// What each unit came to, by its number.
    var results: [Int: JSONNode] = [:]
    /// Whether a child ended too early, which is a defect of the lab.
    var hasLostWorker = false
    var wasInterrupted = false
  }

  private enum Event {
    case line(worker: Int, String)
    case closed(worker: Int)
  }

  private struct Worker {
    let process: ChildProcess
    let shard: Shard
    var lastUnit: Int?
    var isDone = false
  }

  private let work: SharedWork
  private let interrupts: Interrupts
  private let console: Console
  private let inbox = Locked<[Event]>([])
  private var workers: [Worker] = []
  private var openCount = 0
  private var ending = Ending()

  init(_ work: SharedWork, _ interrupts: Interrupts, _ console: Console) {
    self.work = work
    self.interrupts = interrupts
    self.console = console
  }

  /// Does a shard of the work.
  ///
  /// - Parameters:
  ///   - shard: Which part of the work.
  ///   - jobs: With how many children.
  ///   - endNs: When the last unit may begin, by the monotonic clock; those that are left then have no
  ///     result.
  ///   - onResult: Told of each unit when it ends.
  /// - Returns: What the children came to.
  /// - Throws: `Failure` when a child could not do its work, and whatever `onResult` throws; no
  ///   child is left then.
  func run(
    _ shard: Shard, jobs: Int, endNs: Int64?, onResult: (Int, JSONNode) throws -> Void
  ) throws -> Ending {
    defer { endAll() }
    let ownCount = work.units.indices.count { shard.takes($0) }
    for part in shard.split(into: max(1, min(jobs, ownCount))) { try start(part, endNs) }
    var areTold = false
    while openCount > 0 {
      let event = inbox.wait(timeoutMs: 100) { $0.isEmpty ? nil : $0.removeFirst() }
      if interrupts.isRaised, !areTold {
        areTold = true
        for worker in workers { try worker.process.pidfd.signal(SIGTERM) }
      }
      switch event {
      case .line(let index, let line)?: try take(line, from: index, onResult)
      case .closed(let index)?: try bury(index)
      case nil: break
      }
    }
    ending.wasInterrupted = interrupts.isRaised
    return ending
  }

  /// From the main thread, with which the child is to die.
  private func start(_ shard: Shard, _ endNs: Int64?) throws {
    let (order, ordering) = try Descriptor.pipe()
    let (results, writing) = try Descriptor.pipe()
    var launch = ChildProcess.Launch([try Files.currentExecutable(), WorkerCommand.name])
    launch.descriptors = [order, writing, .standardError]
    launch.diesWithParent = true
    let index = workers.count
    workers.append(Worker(process: try ChildProcess(launch), shard: shard))
    openCount += 1
    _ = try Thread("lab-worker-\(index)") { [inbox] in
      let reader = LineReader(results)
      // A pipe that cannot be read is one that has ended.
      while let line = (try? reader.next()) ?? nil {
        inbox.withLock { $0.append(.line(worker: index, line)) }
      }
      inbox.withLock { $0.append(.closed(worker: index)) }
    }
    try ordering.write(JSONWriter.bytes(of: WorkerCommand.Order(work, shard, endNs: endNs).json))
  }

  private func take(
    _ line: String, from index: Int, _ onResult: (Int, JSONNode) throws -> Void
  ) throws {
    let node = try JSONReader.read(line)
    if let failure = node["failure"] {
      throw try Failure(fromWorker: failure)
    } else if let number = node["unit"], let result = node["result"] {
      let unit = try number.integer(in: 0...Int.max)
      workers[index].lastUnit = unit
      ending.results[unit] = result
      try onResult(unit, result)
    } else {
      workers[index].isDone = node["end"] != nil
    }
  }

  private func bury(_ index: Int) throws {
    openCount -= 1
    let worker = workers[index]
    let status = try worker.process.wait()
    guard !worker.isDone, !interrupts.isRaised else { return }
    let how =
      switch status {
      case .exited(let code)?: "ended with \(code)"
      case .signalled(let signal)?: "was ended by signal \(signal)"
      case nil: "ended"
      }
    let order = work.order(of: worker.shard)
    let doneCount = worker.lastUnit.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    let at = order.dropFirst(doneCount).first
    ending.hasLostWorker = true
    console.error(
      "lab: a defect of the lab: worker \(index + 1) of \(workers.count) (shard \(worker.shard)) \(how)"
        + (at.map { " while it did: \(work.units[$0].name)" } ?? " after its last unit"))
  }

  /// How long a worker may take to end its case, and with it the app and all that the app started.
  private static let graceMs = 5_000

  private func endAll() {
    let open = workers.filter { !$0.process.pidfd.hasEnded }
    for worker in open { unlessGone { try worker.process.pidfd.signal(SIGTERM) } }
    for worker in open {
      unlessGone {
        guard try worker.process.wait(timeoutMs: Self.graceMs) == nil else { return }
        try worker.process.kill()
        try worker.process.wait()
      }
    }
  }

  private func unlessGone(_ step: () throws -> Void) {
    do {
      try step()
    } catch {
      // It is gone, or dies with this process.
      return
    }
  }
}

extension Failure {
  /// What a worker says instead of a result.
  fileprivate init(fromWorker node: JSONNode) throws {
    var reader = try node.object("a failure", keys: ["code", "lines"])
    let code = try reader.required("code").integer(in: 0...255)
    let lines = try reader.required("lines").list { node throws(JSONError) in try node.text() }
    self.init(ExitCode(rawValue: Int32(code)), lines)
  }
}
