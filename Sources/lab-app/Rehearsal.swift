import Linux
import Machine
import Phone
import Ports
import Session

/// A phone of each kind, set up, signed in on and read once, in this process and a folder of its own.
///
/// Afterwards the ciphers are loaded, SQLite and the concurrency runtime are set up, and the code and
/// its types are in memory. No database is open any more, and no seed was given to a generator.
struct Rehearsal {
  private let folder: String

  /// - Parameter folder: A new one; it is gone again afterwards.
  init(in folder: String) {
    self.folder = folder
  }

  func perform() throws {
    for kind in PhoneKind.allCases {
      try Files.makeDirectory(folder)
      defer { try? Files.removeTree(folder) }
      let failure = MainExecutor().run { [self] in
        do {
          try await play(on: kind)
          return nil as String?
        } catch {
          return "\(error)"
        }
      }
      if let failure { throw RehearsalFailure(description: "rehearsal on \(kind): \(failure)") }
    }
  }

  private func play(on kind: PhoneKind) async throws {
    let ports = PhonePorts(
      files: PosixFileSystem(root: folder), entropy: SystemEntropy(), clock: MachineClock(),
      console: SilentConsole())
    for effect in try kind.phone([:]).setUp(entropy: ports.entropy) {
      try effect.setUp(on: ports.files)
    }
    let service = try kind.service(on: ports, lockState: .unlocked, PhoneLaunch())
    let points = MountTracePoints(root: folder)
    let modules = try kind.modules(
      on: ports, daemon: NeighbouringService(service), points: points, crashes: ProcessCrash(),
      PhoneLaunch())
    for store in StoreKind.all {
      let app = try ReferenceApp(
        store,
        StorePorts(
          secure: modules.secure, plain: modules.plain, entropy: ports.entropy,
          console: ports.console, trace: points),
        clock: ports.clock, log: nil, AppSettings())
      for words in [["sign-in"], ["refresh", "--to", "2"], ["get"], ["sign-out"]] {
        _ = await app.run(try AppCommand(words: words)).json
      }
    }
    service.stop()
  }
}

private struct RehearsalFailure: Error, CustomStringConvertible {
  var description: String
}
