import Foundation
import Machine
import Phone
import Ports
import Session
import Simulation
import TestSupport
import Testing

/// The modules of a phone and the reference app, unchanged: they know nothing of the simulator.
@Suite struct `A phone's modules on the simulator` {
  /// The service of the phone in this process, with a note of each answer.
  private final class LocalDaemon: SystemDaemon {
    let service: any PhoneService

    init(_ service: any PhoneService) { self.service = service }

    func call(_ request: String) async throws(DaemonUnavailable) -> String {
      defer { service.finish() }
      return service.reply(to: request).text
    }
  }

  private struct Phone {
    let scratch: Scratch
    let ports: PhonePorts
    let daemon: LocalDaemon
    let journal = Journal()
    let kind: PhoneKind

    init(_ kind: PhoneKind) throws {
      self.kind = kind
      scratch = try Scratch()
      ports = PhonePorts(
        files: PosixFileSystem(root: scratch.path),
        entropy: SeededEntropy(seed: 1, stream: "phone"),
        clock: FixedClock(startMs: 1_700_000_000_000),
        console: journal)
      if kind == .android {
        // Installed.
        try FileManager.default.createDirectory(
          atPath: scratch.path + AndroidLayout.data, withIntermediateDirectories: true)
      }
      daemon = LocalDaemon(try kind.service(on: ports, lockState: .unlocked, PhoneLaunch()))
    }

    func makeApp(in process: SimulatedProcess, seed: UInt64) throws -> ReferenceApp {
      let points = process.tracePoint(over: journal)
      let modules = try kind.modules(
        on: ports, daemon: process.daemon(over: daemon), points: points, crashes: process,
        PhoneLaunch())
      return try ReferenceApp(
        .recipe,
        StorePorts(
          secure: process.secureStorage(over: modules.secure),
          plain: process.plainStorage(over: modules.plain),
          entropy: SeededEntropy(seed: seed, stream: "app"),
          console: process.console(over: journal), trace: points),
        clock: ports.clock, log: process.acknowledgements(over: journal))
    }

    /// Runs commands at once, in one launch, and gives their results.
    func run(
      _ choices: Choices, _ commands: [AppCommand]
    ) throws -> (results: [AppResult.Outcome], simulator: Simulator) {
      let simulator = Simulator(choices)
      var results: [AppResult.Outcome] = []
      simulator.launch("app") { process in
        do {
          let app = try makeApp(in: process, seed: 1)
          for command in commands {
            process.spawn(command.name) { results.append(await app.run(command).outcome) }
          }
        } catch {
          Issue.record(error)
        }
      }
      #expect(simulator.run() == .finished)
      return (results, simulator)
    }
  }

  private let saves = [AppCommand.signIn(.generation(1)), .signIn(.generation(2))]

  private func read(_ phone: Phone) throws -> AppResult.Outcome? {
    try phone.run(Choices(RecordedChoices([], then: .first)), [.get(item: nil)]).results.first
  }

  @Test(arguments: PhoneKind.allCases)
  func `save, and read what they saved`(kind: PhoneKind) throws {
    let phone = try Phone(kind)
    let saved = try phone.run(Choices(RandomChoices(seed: 7)), [saves[0]])
    guard case .saved(let identity?) = saved.results.first else {
      Issue.record("\(saved.results)")
      return
    }
    #expect(try read(phone) == .session(identity))
    #expect(phone.journal.lines.contains("K1") && phone.journal.lines.contains("B1"))
  }

  @Test(arguments: PhoneKind.allCases)
  func `lose a session to some orders of two saves, and not to others`(kind: PhoneKind) throws {
    var isKept: Set<Bool> = []
    for seed in UInt64(0)..<12 {
      let phone = try Phone(kind)
      let saved = try phone.run(Choices(RandomChoices(seed: seed)), saves)
      #expect(saved.results.count == 2, "seed \(seed)")
      if case .session = try read(phone) { isKept.insert(true) } else { isKept.insert(false) }
      let again = try Phone(kind).run(Choices(RandomChoices(seed: seed)), saves)
      #expect(again.simulator.traceDigest == saved.simulator.traceDigest, "seed \(seed)")
    }
    #expect(isKept == [true, false])
  }
}
