import Ports
import Session
import Simulation
import Testing

/// The published store writes a new key, then the blob, and locks nothing.
@Suite struct `Two overlapping saves of one process` {
  private enum Reading: Hashable {
    case first, second
    /// The key that is left does not open the blob that is left.
    case apart
  }

  private struct Saves {
    let simulator: Simulator
    let outcome: Outcome
    let store: MemoryHalf
    let blobs: MemoryHalf

    init(_ choices: Choices, _ interleaving: Interleaving, kind: StoreKind = .recipe) throws {
      let (keys, blobs, journal) = (MemoryHalf(), MemoryHalf(), Journal())
      simulator = Simulator(choices, interleaving: interleaving)
      (store, self.blobs) = (keys, blobs)
      simulator.launch("app") { process in
        do {
          let store = try kind.make(
            StorePorts(
              secure: process.secureStorage(over: keys), plain: process.plainStorage(over: blobs),
              entropy: SeededEntropy(seed: 1, stream: "session"),
              console: process.console(over: journal), trace: process.tracePoint(over: journal)))
          for text in ["first", "second"] {
            process.spawn(text) {
              do {
                try await store.setItem("session", to: JavaScriptString(text))
              } catch {
                Issue.record(error)
              }
            }
          }
        } catch {
          Issue.record(error)
        }
      }
      outcome = simulator.run()
    }

    /// What the next launch reads.
    func reading() throws -> Reading {
      let journal = Journal()
      var reading = Reading.apart
      let next = Simulator(Choices(RecordedChoices([], then: .first)))
      let store = try StoreKind.recipe.make(
        StorePorts(
          secure: store, plain: blobs, entropy: SeededEntropy(seed: 2, stream: "session"),
          console: journal, trace: journal))
      next.launch("app") { _ in
        switch try? await store.item("session") {
        case "first": reading = .first
        case "second": reading = .second
        default: break
        }
      }
      #expect(next.run() == .finished)
      return reading
    }
  }

  private func explore(_ interleaving: Interleaving) throws -> (
    leaves: Int, readings: [Reading: Int], orders: [[Checkpoint]: Set<Reading>]
  ) {
    var search = ExhaustiveSearch()
    var readings: [Reading: Int] = [:]
    var orders: [[Checkpoint]: Set<Reading>] = [:]
    while let choices = try search.next() {
      let saves = try Saves(choices, interleaving)
      #expect(saves.outcome == .finished)
      let reading = try saves.reading()
      readings[reading, default: 0] += 1
      let writes = saves.simulator.steps.map(\.checkpoint).filter { $0.moment == .begins }
      orders[writes, default: []].insert(reading)
    }
    #expect(search.isExhaustive)
    return (search.leafCount, readings, orders)
  }

  @Test func `go six ways, and two of them leave the halves apart`() throws {
    let found = try explore(.beforeCalls)
    #expect(found.leaves == 6)
    #expect(found.readings == [.apart: 2, .first: 2, .second: 2])
  }

  /// 8!/(4!·4!) runs, which end as the six orders of their writes do.
  @Test func `go seventy ways when answers may be late, with the same ends`() throws {
    let found = try explore(.aroundCalls)
    #expect(found.leaves == 70)
    #expect(found.orders.count == 6)
    #expect(found.orders.values.allSatisfy { $0.count == 1 })
    #expect(found.orders.values.count { $0 == [.apart] } == 2)
  }
}
