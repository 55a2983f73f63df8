import Foundation
import Linux
import Testing

@testable import Mount

@Suite struct `The control of mounted phones` {
  private func withRegistry(_ body: (Registry, String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "r-\(UUID().uuidString.prefix(8))"
    defer { try? Files.removeTree(folder) }
    try body(try Registry(at: folder), folder)
  }

  @Test func `answers every message, from several callers at once`() throws {
    try withRegistry { registry, _ in
      let registration = try registry.register(directory: "/x/phone")
      let control = try ControlSocket(at: registration.socketPath) { message, passed in
        "\(message.uppercased()) \(passed.map { _ in "with a descriptor" } ?? "alone")"
      }
      let first = try ControlClient(at: control.path)
      let second = try ControlClient(at: control.path)
      for round in 0..<50 {
        #expect(try first.call("a\(round)") == "A\(round) alone")
        #expect(try second.call("b", passing: .standardError) == "B with a descriptor")
      }
      control.close()
      #expect(throws: SystemError.self) { try first.call("late") }
      #expect(throws: SystemError.self) { try ControlClient(at: control.path) }
    }
  }

  @Test func `finishes an answer that is under way when it closes`() throws {
    try withRegistry { registry, _ in
      let registration = try registry.register(directory: "/x/phone")
      let (begun, goOn) = (Locked(false), Locked(false))
      let control = try ControlSocket(at: registration.socketPath) { _, _ in
        begun.withLock { $0 = true }
        _ = goOn.wait { $0 ? true : nil }
        return "done"
      }
      let answer = Locked<String?>(nil)
      let client = try ControlClient(at: control.path)
      let caller = try Thread("caller") {
        let text = try? client.call("slow")
        answer.withLock { $0 = text }
      }
      _ = begun.wait { $0 ? true : nil }
      let closer = try Thread("closer") { control.close() }
      goOn.withLock { $0 = true }
      closer.join()
      caller.join()
      #expect(answer.withLock { $0 } == "done")
    }
  }

  @Test func `finds a phone by name, by path, and alone without either`() throws {
    try withRegistry { registry, _ in
      #expect(throws: MountError.noPhone("any name")) { try registry.find() }
      let first = try registry.register(directory: "/tmp")
      #expect(try registry.find().name == "tmp")
      let second = try registry.register(directory: "/var/tmp")
      #expect([first.name, second.name] == ["tmp", "tmp-2"])
      #expect(throws: MountError.severalPhones(["tmp", "tmp-2"])) { try registry.find() }
      #expect(try registry.find("tmp-2").directory == "/var/tmp")
      #expect(try registry.find("/var/tmp/").name == "tmp-2")
      #expect(try registry.find("tmp").process == getpid())
      #expect(throws: MountError.noPhone("other")) { try registry.find("other") }
      second.remove()
      #expect(registry.list().map(\.name) == ["tmp"])
    }
  }

  @Test func `forgets a phone whose process is dead, whoever has its number now`() throws {
    try withRegistry { registry, folder in
      try Files.makeDirectory(folder + "/dead")
      try Files.write(folder + "/dead/mount.path", Array("/x/dead".utf8))
      try Files.write(folder + "/dead/pid", Array("\(getpid())".utf8))
      try Files.makeDirectory(folder + "/.draft-999999999-1")
      #expect(registry.list().isEmpty)
      #expect(try Files.list(folder).isEmpty)
    }
  }

  @Test func `refuses a registry that others may enter`() throws {
    let folder = NSTemporaryDirectory() + "r-\(UUID().uuidString.prefix(8))"
    try Files.makeDirectory(folder)
    defer { try? Files.remove(folder) }
    unsafe chmod(folder, 0o755)
    #expect(throws: MountError.self) { try Registry(at: folder) }
    try Files.remove(folder)
    unsafe symlink("/tmp", folder)
    let refusal = MountError.folderRefused(
      folder, reason: "is not safe to use: not a folder", remedy: "remove it")
    #expect(throws: refusal) { try Registry(at: folder) }
  }
}
