import Chaos
import Device
import Glibc
import Linux
import Mount

/// All that a run needs: the folders on each file system, the phone, the partner of the ping-pong.
final class Workbench {
  static let tmpfs = "tmpfs"

  let seed: UInt64
  let phone: PhoneProcess
  let pingPong: PingPong
  let cases: CaseWork
  let programs: PhoneHost.Programs
  /// A private folder of the machine.
  let scratch: String
  /// What the reader has to know of the file systems.
  private(set) var notes: [String] = []
  private(set) var places: [Place] = []

  /// One file system with the work on it.
  struct Place {
    let implementation: String
    let folder: String
    let files: FileWork
    let databases: [DatabaseWork]
  }

  /// The file systems, ours first.
  var implementations: [String] { places.map(\.implementation) }

  /// Sets all up.
  ///
  /// - Throws: Why it could not be; nothing is left mounted or running then.
  init(
    _ executable: String, _ programs: PhoneHost.Programs, peer: String?, seed: UInt64
  ) throws {
    self.seed = seed
    self.programs = programs
    let peerKind = try peer.map(Self.checkPeer)
    scratch = Scratch.folder
    try Files.makeDirectory(scratch)
    var undo: [() -> Void] = [{ [scratch] in try? Files.removeTree(scratch) }]
    do {
      phone = try PhoneProcess(executable, in: scratch)
      undo.append(phone.end)
      pingPong = try PingPong()
      undo.append(pingPong.end)
      cases = try CaseWork(programs, seed: seed)
      undo.append(cases.end)
      try addPlaces(peer)
    } catch {
      for step in undo.reversed() { step() }
      throw error
    }
    if let peer, let peerKind, peerKind != .fuse {
      notes.append("\(peer) is no FUSE mount; it is measured all the same.")
    }
  }

  private func addPlaces(_ peer: String?) throws {
    do {
      try add(PhoneProcess.implementation, in: phone.folder)
      // Where Linux always has one; a machine without it is measured without.
      if try FileSystemKind(at: "/dev/shm") == .tmpfs {
        try add(Self.tmpfs, in: "/dev/shm")
      } else {
        notes.append("/dev/shm is no tmpfs here: nothing to compare with in memory.")
      }
      if let peer { try add("peer", in: peer) }
    } catch {
      removePlaces()
      throw error
    }
  }

  private func add(_ implementation: String, in parent: String) throws {
    let folder = "\(parent)/lab-bench-\(getpid())"
    try Files.makeDirectory(folder)
    do {
      let draws = Draws(seed: seed)
      places.append(
        Place(
          implementation: implementation, folder: folder,
          files: try FileWork(in: folder, implementation, draws),
          databases: try DatabaseWork.Mode.allCases.map { mode in
            try DatabaseWork(in: folder, mode, implementation, draws)
          }))
    } catch {
      try? Files.removeTree(folder)
      throw error
    }
  }

  private static func checkPeer(_ folder: String) throws -> FileSystemKind {
    do {
      guard try Files.status(Files.absolutePath(folder)).isDirectory else {
        throw BenchmarkError.peer(folder, reason: "not a folder")
      }
      try check("access", folder, unsafe access(folder, W_OK | X_OK))
      return try FileSystemKind(at: folder)
    } catch let error as SystemError {
      throw BenchmarkError.peer(folder, reason: "\(error)")
    }
  }

  /// A digest of what the work has left, which is the same on every file system.
  ///
  /// - Throws: ``BenchmarkError/differentWork(_:)`` when it is not.
  func digest() throws -> String {
    var digests: [UInt64] = []
    for place in places {
      // FNV-1a
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for bytes in try [place.files.outcome()] + place.databases.map({ try $0.outcome() }) {
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      }
      digests.append(hash)
      if hash != digests[0] { throw BenchmarkError.differentWork(place.implementation) }
    }
    let digits = String(digests.first ?? 0, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Ends all that was started and removes all that was made.
  func end() {
    removePlaces()
    cases.end()
    pingPong.end()
    phone.end()
    try? Files.removeTree(scratch)
  }

  private func removePlaces() {
    for place in places { try? Files.removeTree(place.folder) }
    places = []
  }
}
