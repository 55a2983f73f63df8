import Ports
import Simulation
import Testing

@Suite struct `A simulated process that is killed` {
  private let half = MemoryHalf()
  private let journal = Journal()
  private let simulator = Simulator(Choices(RandomChoices(seed: 7)))

  private func killing(
    _ process: SimulatedProcess, at moment: Checkpoint.Moment, of call: String
  ) {
    simulator.onStep = { checkpoint in
      if checkpoint.call == call, checkpoint.moment == moment { process.kill() }
    }
  }

  /// Saves two items, and says everywhere that it did.
  private func launchWriter() -> SimulatedProcess {
    simulator.launch("app") { [half, journal] process in
      let secure = process.secureStorage(over: half)
      let plain = process.plainStorage(over: half)
      let console = process.console(over: journal)
      do {
        try await secure.setItem("key", to: "1")
        try await plain.setItem("blob", to: "1")
        console.warn("saved")
      } catch {
        journal.warn("the process itself sees: \(error)")
        console.error("not saved")
        process.tracePoint(over: journal).reach(.recoveryBegins)
        #expect(throws: AcknowledgementFailure(reason: "the process has ended")) {
          try process.acknowledgements(over: journal).append("failed")
        }
        process.spawn("healing") { journal.warn("spawned") }
      }
    }
  }

  @Test func `has no effect from the beginning of a call on`() {
    killing(launchWriter(), at: .begins, of: "plain.setItem")
    #expect(simulator.run() == .finished)
    #expect(half.items == ["key": "1"])
    #expect(journal.lines == ["the process itself sees: the process has ended"])
    #expect(simulator.steps.count == 2)
  }

  @Test func `has had the effect at the end of a call`() {
    killing(launchWriter(), at: .returns, of: "plain.setItem")
    #expect(simulator.run() == .finished)
    #expect(half.items == ["key": "1", "blob": "1"])
    #expect(journal.lines == ["the process itself sees: the process has ended"])
  }

  @Test func `is the only one that does not save`() {
    _ = launchWriter()
    #expect(simulator.run() == .finished)
    #expect(half.items.count == 2)
    #expect(journal.lines == ["saved"])
    #expect(simulator.steps.count == 4)
  }

  @Test func `ends by its device, too`() {
    var hasPower = true
    simulator.launch("app", isAlive: { hasPower }) { [half] process in
      let plain = process.plainStorage(over: half)
      while true {
        do throws(NativeError) {
          try await plain.setItem("count", to: "\(half.items.count)")
        } catch {
          return
        }
      }
    }
    simulator.onStep = { [simulator] _ in hasPower = simulator.steps.count < 10 }
    #expect(simulator.run() == .finished)
    #expect(simulator.steps.count == 10)
  }

  @Test func `wakes from its sleep, its streams and its groups`() {
    let process = simulator.launch("app") { [journal] process in
      process.spawn("sleeper") {
        do throws(ProcessGone) {
          try await process.sleep(for: .seconds(3_600))
        } catch {
          journal.warn("\(error)")
        }
      }
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      for await _ in stream {}
      continuation.finish()
      journal.warn("stream ended")
    }
    #expect(simulator.run(until: .seconds(5)) == .timeUp)
    process.kill()
    #expect(simulator.run() == .finished)
    #expect(Set(journal.lines) == ["the process has ended", "stream ended"])
    #expect(simulator.clock.elapsed == .seconds(5))
  }

  @Test func `leaves other processes alone`() {
    killing(launchWriter(), at: .begins, of: "plain.setItem")
    let other = MemoryHalf()
    simulator.launch("other") { process in
      _ = try? await process.plainStorage(over: other).setItem("blob", to: "2")
      _ = try? await process.secureStorage(over: other).setItem("key", to: "2")
    }
    #expect(simulator.run() == .finished)
    #expect(half.items == ["key": "1"])
    #expect(other.items == ["blob": "2", "key": "2"])
  }

  @Test func `is named when it does not end`() {
    let process = simulator.launch("app") { [half] process in
      let plain = process.plainStorage(over: half)
      process.spawn("retry for ever") {
        while true { _ = try? await plain.item("blob") }
      }
      process.spawn("good") { _ = try? await plain.item("key") }
    }
    simulator.onStep = { [simulator] _ in if simulator.steps.count == 20 { process.kill() } }
    guard case .undead(let waits) = simulator.run() else {
      Issue.record("it was taken for ended")
      return
    }
    #expect(waits.map(\.task) == ["retry for ever"])
    #expect(
      "\(Outcome.undead(waits))" == "not ended by the end of its process: app/retry for ever: "
        + "outside all ports, after app/retry for ever: plain.item(blob) begins")
  }
}

@Suite struct `A run that does not end` {
  private var limits: SimulationLimits {
    var limits = SimulationLimits()
    limits.stepsMax = 50
    limits.jobsMax = 1_000
    return limits
  }

  private func makeSimulator() -> Simulator {
    Simulator(Choices(RandomChoices(seed: 7)), limits: limits)
  }

  @Test func `because all wait for each other is a hang`() {
    let simulator = makeSimulator()
    simulator.launch("app") { process in
      let plain = process.plainStorage(over: MemoryHalf())
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      _ = try? await plain.item("blob")
      for await _ in stream {}
      continuation.finish()
    }
    let outcome = simulator.run()
    #expect(
      "\(outcome)" == "hang: app/main: outside all ports, after app/main: plain.item(blob) returns")
    #expect(simulator.unfinished.isEmpty, "the stream ended with the process")
  }

  @Test func `because it polls without waiting is a livelock`() {
    let simulator = makeSimulator()
    simulator.launch("app") { process in
      let plain = process.plainStorage(over: MemoryHalf())
      do throws(NativeError) {
        while try await plain.item("blob") == nil {}
      } catch {
        return
      }
    }
    let outcome = simulator.run()
    #expect("\(outcome)" == "livelock: app/main: plain.item(blob) begins")
    #expect(simulator.steps.count == 50)
    #expect(simulator.unfinished.isEmpty)
  }

  @Test func `because it yields for ever is a livelock`() {
    let simulator = makeSimulator()
    simulator.launch("app") { _ in
      while !Task.isCancelled { await Task.yield() }
    }
    #expect("\(simulator.run())" == "livelock: app/main: outside all ports")
    #expect(simulator.unfinished.isEmpty)
  }

  @Test func `is none when it polls with the clock`() {
    let simulator = makeSimulator()
    let clock = simulator.clock
    simulator.launch("app") { process in
      while clock.elapsed < .seconds(600) { _ = try? await process.sleep(for: .seconds(1)) }
    }
    #expect(simulator.run() == .finished)
    #expect(simulator.steps.count == 600)
  }
}
