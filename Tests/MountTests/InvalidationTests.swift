import Device
import Foundation
import Linux
import Testing

@testable import Mount

/// One kind of held operation: what the app does, and what the kernel then cannot forget.
struct HeldCase: CustomTestStringConvertible, Sendable {
  var kind: OperationKind
  var path: String
  var program: String
  /// What must be forgotten first, so that the operation reaches the mount.
  var prepares: [String] = []
  var blocked: Set<String>

  var testDescription: String { kind.rawValue }

  static let all = [
    HeldCase(
      kind: .read, path: "/d/f", program: "os.pread(f, 3, 0)", prepares: ["content"],
      blocked: ["content"]),
    HeldCase(
      kind: .write, path: "/d/f", program: "os.pwrite(f, b'new', 1)",
      blocked: ["content", "removed"]),
    HeldCase(kind: .sync, path: "/d/f", program: "os.fsync(f)", blocked: ["removed"]),
    HeldCase(
      kind: .lookUp, path: "/d/f", program: "os.stat('d/f')", prepares: ["entry"],
      blocked: ["entry", "removed"]),
    HeldCase(
      kind: .create, path: "/d/new", program: "open('d/new', 'x')", blocked: ["entry", "removed"]),
    HeldCase(
      kind: .makeDirectory, path: "/d/new", program: "os.mkdir('d/new')",
      blocked: ["entry", "removed"]),
    HeldCase(
      kind: .rename, path: "/d/f", program: "os.rename('d/f', 'd/g')",
      blocked: ["entry", "removed"]),
    HeldCase(
      kind: .link, path: "/d/g", program: "os.link('d/f', 'd/g')", blocked: ["entry", "removed"]),
    HeldCase(
      kind: .unlink, path: "/d/f", program: "os.unlink('d/f')", blocked: ["entry", "removed"]),
    HeldCase(
      kind: .setAttributes, path: "/d/f", program: "os.chmod('d/f', 0o600)", blocked: ["removed"]),
    HeldCase(
      kind: .truncate, path: "/d/f", program: "os.truncate('d/f', 2)", blocked: ["removed"]),
    HeldCase(
      kind: .list, path: "/d", program: "os.listdir('d')", blocked: ["entry", "removed"]),
    HeldCase(kind: .open, path: "/d/f", program: "os.open('d/f', os.O_RDONLY)", blocked: []),
    HeldCase(
      kind: .attributes, path: "/d/f", program: "os.stat('d/f')", prepares: ["content"],
      blocked: []),
  ]
}

extension `A mounted device` {
  @Test(arguments: HeldCase.all, ["content", "entry", "removed"])
  func `serves on while an invalidation waits for a held operation, and names it`(
    _ held: HeldCase, invalidation: String
  ) throws {
    try withPhone { mount in
      let app = try App(
        mount,
        """
        import os
        os.mkdir('d')
        f = os.open('d/f', os.O_CREAT | os.O_RDWR)
        os.write(f, b'old content')
        print('ready'); input()
        \(held.program)
        print('done')
        """)
      #expect(try app.line() == "ready")
      let (directory, inode) = try mount.withDevice { device throws in
        (try #require(device.live.resolve("/d")), try #require(device.live.resolve("/d/f")))
      }
      let invalidations: [String: Invalidation] = [
        "content": .content(inode), "entry": .entry(in: directory, "f"),
        "removed": .removed(in: directory, "f", inode),
      ]
      for name in held.prepares {
        #expect(mount.announce([try #require(invalidations[name])]).wait() == .done)
      }
      _ = mount.arm(.hold, held.kind, held.path)
      try app.go()
      let operations = try #require(mount.waitUntilHeld(timeoutMs: 5_000))

      let ticket = mount.announce([try #require(invalidations[invalidation])])
      let outcome = ticket.wait(timeoutMs: 60)

      // The serving thread goes on, for another process, in the same directory too.
      let other = try App(
        mount, "import os; os.statvfs('.'); print(open('.lab/status.json').read())")
      #expect(try other.line() == "{}")
      let expected: Ticket.Outcome =
        held.blocked.contains(invalidation) ? .waits(for: operations) : .done
      #expect(outcome == expected)

      for operation in operations { mount.release(operation) }
      #expect(ticket.wait(timeoutMs: 5_000) == .done)
      #expect(try app.line() == "done")
      #expect(mount.toolErrors.isEmpty)
    }
  }
}
