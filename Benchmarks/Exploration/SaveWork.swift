import Chaos
import Device
import Glibc
import Linux
import Ports
import Simulation

/// The same upsert on a simulated device and on a mounted one.
final class SaveWork {
  static let simulated = "simulated"
  static let mounted = "mounted"

  private let files: DeviceFileSystem
  private let probes: [Probe]
  private let phone: PhoneProcess?
  private let scratch: String

  /// - Parameters:
  ///   - executable: The lab's own program, which mounts the phone; `nil` to do without.
  ///   - share: Scales the calls of a batch.
  /// - Throws: Why a database or the phone could not be set up; nothing is left mounted then.
  init(_ executable: String?, share: Int) throws {
    var setup = DeviceSetup()
    setup.restProfile = .ordered
    let box = DeviceBox(StorageDevice(setup)) { Clocks.realtimeNs }
    let files = DeviceFileSystem(box, process: ProcessNumber(1))
    self.files = files
    scratch = Scratch.folder
    let draws = Draws(seed: ExplorationSuite.seed)
    let modes = [DatabaseWork.Mode.deleteFull, .walFull]
    var probes = try modes.map { mode in
      try DatabaseWork(
        in: "", mode, Self.simulated, vfs: files.database(at: "/").vfs, draws
      ).probe(share)
    }
    guard let executable else {
      phone = nil
      self.probes = probes
      return
    }
    try Files.makeDirectory(scratch)
    do {
      let phone = try PhoneProcess(executable, in: scratch)
      self.phone = phone
      do {
        probes += try modes.map { mode in
          try DatabaseWork(in: phone.folder, mode, Self.mounted, draws).probe(share)
        }
      } catch {
        phone.end()
        throw error
      }
    } catch {
      try? Files.removeTree(scratch)
      throw error
    }
    self.probes = probes
  }

  /// Notes what a save takes on each.
  func play(_ batchCount: Int, _ ledger: inout Ledger) throws {
    for probe in probes {
      ledger.add(try probe.measure(batchCount: batchCount), probe.name, probe.implementation)
    }
  }

  func end() {
    guard let phone else { return }
    phone.end()
    try? Files.removeTree(scratch)
  }
}
