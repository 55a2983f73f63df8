import Foundation
import Ports
import Simulation
import Testing

@Suite struct `The order of tasks` {
  @Test(arguments: [(1, 6), (2, 90), (3, 1_680)])
  func `is explored to the multinomial`(calls: Int, count: Int) throws {
    var search = ExhaustiveSearch()
    var orders: Set<[Step]> = []
    while let choices = try search.next() {
      let run = Writers(choices, calls: calls)
      #expect(run.outcome == .finished)
      orders.insert(run.steps)
    }
    #expect(search.leafCount == count && orders.count == count)
  }

  @Test func `is repeated by its decisions`() throws {
    var search = ExhaustiveSearch()
    while let choices = try search.next() {
      let run = Writers(choices, calls: 2)
      let replay = Choices(RecordedChoices(run.decisions))
      #expect(Writers(replay, calls: 2).steps == run.steps, "\(run.decisions)")
      #expect(replay.finish() == nil)
    }
  }

  @Test func `is repeated by its seed`() {
    let digests = (UInt64(0)..<20).map { seed in
      let run = Writers(Choices(RandomChoices(seed: seed)), calls: 4)
      #expect(
        Writers(Choices(RandomChoices(seed: seed)), calls: 4).digest == run.digest, "seed \(seed)")
      return run.digest
    }
    #expect(Set(digests).count > 15)
  }

  /// Hash seeds differ from process to process, so that an order that depended on one would show.
  @Test func `is the same in every process`() {
    #expect(
      Writers(Choices(RandomChoices(seed: 7)), calls: 4).digest
        == 18_411_864_390_402_987_605)
  }

  @Test func `is refused when the recording is of something else`() {
    let recorded = Writers(Choices(RandomChoices(seed: 7)), calls: 2).decisions
    let run = Writers(Choices(RecordedChoices(recorded)), calls: 3)
    guard case .diverged(let divergence) = run.outcome else {
      Issue.record("\(run.outcome)")
      return
    }
    #expect(divergence.recorded != divergence.met)
  }
}

@Suite struct `Code on the simulator` {
  private actor Counter {
    var value = 0
    func add(_ number: Int) { value += number }
  }

  @Test func `may use groups, actors, streams and yields`() {
    let simulator = Simulator(Choices(RandomChoices(seed: 7)))
    var results: [Int] = []
    simulator.launch("app") { process in
      let counter = Counter()
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      process.spawn("producer") {
        for number in 1...3 { continuation.yield(number) }
        continuation.finish()
      }
      for await number in stream { await counter.add(number) }
      await withTaskGroup(of: Void.self) { group in
        for _ in 1...4 {
          group.addTask {
            await Task.yield()
            await counter.add(10)
          }
        }
      }
      results.append(await counter.value)
    }
    #expect(simulator.run() == .finished)
    #expect(results == [46])
  }

  @Test func `traps when it leaves the thread`() async throws {
    let result = try await #require(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let simulator = Simulator(Choices(RandomChoices(seed: 7)))
      simulator.launch("app") { _ in
        // One that has ended already is not waited for.
        while true { await Task.detached {}.value }
      }
      while true { _ = simulator.run() }
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("came from a thread that is not the simulator's"))
  }

  @Test func `traps when it calls a port from elsewhere`() async {
    await #expect(processExitsWith: .failure) {
      try await Simulator(Choices(RandomChoices(seed: 7))).launch("app") { _ in }.sleep(for: .zero)
    }
  }
}

@Suite struct `Virtual time` {
  private func simulate(
    _ choices: Choices = Choices(RandomChoices(seed: 7)),
    _ body: @escaping (SimulatedProcess) async -> Void
  ) -> Simulator {
    let simulator = Simulator(choices, startMs: 5_000)
    simulator.launch("app", body)
    return simulator
  }

  @Test func `moves from timer to timer`() {
    let journal = Journal()
    var times: [Int64] = []
    let simulator = simulate { process in
      for (name, seconds) in [("late", 60), ("early", 5), ("now", 0), ("past", -1)] {
        process.spawn(name) {
          _ = try? await process.sleep(for: .seconds(seconds))
          journal.warn(name)
        }
      }
    }
    let clock = simulator.clock
    simulator.onStep = { _ in times.append(clock.nowMs) }
    #expect(simulator.run() == .finished)
    #expect(Set(journal.lines[..<2]) == ["now", "past"])
    #expect(journal.lines[2...] == ["early", "late"])
    #expect(times == [5_000, 5_000, 10_000, 65_000])
    #expect(clock.nowNs == 65_000_000_000)
  }

  @Test func `stands still while something can be done`() {
    let half = MemoryHalf()
    let simulator = simulate { process in
      let plain = process.plainStorage(over: half)
      process.spawn("sleeper") {
        _ = try? await process.sleep(for: .milliseconds(1))
        _ = try? await plain.setItem("last", to: "sleeper")
      }
      for _ in 0..<100 { _ = try? await plain.setItem("last", to: "writer") }
    }
    #expect(simulator.run() == .finished)
    #expect(half.items == ["last": "sleeper"])
  }

  @Test func `leaves the order of equal times to choice`() throws {
    var search = ExhaustiveSearch()
    var orders: Set<[String]> = []
    while let choices = try search.next() {
      let journal = Journal()
      let simulator = simulate(choices) { process in
        for name in ["a", "b", "c"] {
          process.spawn(name) {
            _ = try? await process.sleep(for: .seconds(5))
            journal.warn(name)
          }
        }
      }
      #expect(simulator.run() == .finished)
      orders.insert(journal.lines)
    }
    #expect(search.leafCount == 6 && orders.count == 6)
  }

  @Test func `ends at the deadline, and goes on`() {
    let journal = Journal()
    let simulator = simulate { process in
      while journal.lines.count < 3 {
        _ = try? await process.sleep(for: .seconds(30))
        journal.warn("tick")
      }
    }
    #expect(simulator.run(until: .seconds(70)) == .timeUp)
    #expect(journal.lines.count == 2)
    #expect(simulator.clock.elapsed == .seconds(70))
    #expect(simulator.run() == .finished)
    #expect(simulator.clock.elapsed == .seconds(90))
  }
}
