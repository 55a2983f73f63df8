import Device
import Foundation
import Linux
import Mount
import Testing

/// A change of the device from outside, a different one each round.
private struct Injection: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let change: @Sendable (inout StorageDevice, _ round: Int) throws -> Stale

  init(
    _ name: String, _ change: @escaping @Sendable (inout StorageDevice, Int) throws -> Stale
  ) {
    testDescription = name
    self.change = change
  }

  /// An edit of the operating system.
  init(_ name: String, edit: @escaping @Sendable (inout Tree, Int) -> Void) {
    self.init(name) { device, round in device.change { edit(&$0, round) } }
  }

  static func content(_ round: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(round & 0x7F), count: 9_000 - 10 * round)
  }

  static let all = [
    Injection("a bit flips") { device, round in
      let alteration = Alteration.flipBit(path: "/d/f", byte: round * 140, bit: round % 8)
      return Stale(inodes: [try device.alter(alteration)])
    },
    Injection("a file is cut") { device, round in
      Stale(inodes: [try device.alter(.truncate(path: "/d/f", to: 8_900 - 140 * round))])
    },
    Injection("a file is cut to nothing and written anew") { device, round in
      try round.isMultiple(of: 2)
        ? Stale(inodes: [device.alter(.truncate(path: "/d/f", to: 0))])
        : device.change { $0.writeFile("/d/f", content(round), mode: 0o600, at: 1) }
    },
    Injection("a file goes and comes back") { tree, round in
      if round.isMultiple(of: 2) {
        tree.remove("/d/f")
      } else {
        tree.writeFile("/d/f", content(round), mode: 0o640, at: 1)
      }
    },
    Injection("a file is replaced") { tree, round in
      tree.writeFile("/d/f", content(round), mode: 0o600, at: 1)
    },
    Injection("a file comes beside it") { tree, round in
      tree.writeFile("/d/g\(round)", [1], mode: 0o600, at: 1)
    },
    Injection("a folder is replaced") { tree, round in
      tree.remove("/d")
      tree.writeFile("/d/f", content(round), mode: 0o604, at: 1)
      tree.writeFile("/d/g\(round)", [1], mode: 0o600, at: 1)
    },
    Injection("a folder goes and comes back") { tree, round in
      tree.remove("/d")
      if !round.isMultiple(of: 2) { tree.writeFile("/d/f", content(round), mode: 0o600, at: 1) }
    },
    Injection("a folder becomes a file and a folder again") { tree, round in
      tree.remove("/d")
      tree.writeFile(round.isMultiple(of: 2) ? "/d" : "/d/f", [1], mode: 0o600, at: 1)
    },
    Injection("a folder is restored") { device, round in
      var earlier = StorageDevice(DeviceSetup())
      _ = earlier.change { $0.writeFile("/d/f", content(round), mode: 0o600, at: 1) }
      return device.change { $0.restore("/d", from: earlier.live, at: 1) }
    },
  ]
}

/// A swap of the whole device.
private enum Swap: CaseIterable {
  case powerCut, replacedDevice, restart

  func happen(_ mount: MountedDevice, _ round: Int) throws {
    switch self {
    case .powerCut: try mount.powerCut(.none)
    case .replacedDevice: try mount.replaceDevice(with: Self.device(round))
    case .restart: try mount.restart { $0.start(from: Self.device(round).live) }
    }
  }

  /// The same without a word to the kernel.
  func happenSilently(_ mount: MountedDevice, _ round: Int) {
    mount.withDevice { device in
      switch self {
      case .powerCut: device = device.crashState(.none)
      case .replacedDevice: device = Self.device(round)
      case .restart: device.start(from: Self.device(round).live)
      }
    }
  }

  private static func device(_ round: Int) -> StorageDevice {
    var device = StorageDevice(DeviceSetup())
    _ = device.change { tree in
      tree.writeFile("/d/f", Injection.content(round), mode: 0o600, at: 1)
      tree.writeFile("/d/g\(round)", [1], mode: 0o600, at: 1)
    }
    return device
  }
}

extension `A mounted device` {
  private static let rounds = 60

  @Test(arguments: Injection.all)
  private func `never shows what was before an injection`(_ injection: Injection) throws {
    try withPhone { mount in
      let watch = try Watch(mount, Injection.content(0))
      for round in 1...Self.rounds {
        let isNew = try watch.during {
          let stale = try mount.withDevice { device in try injection.change(&device, round) }
          #expect(mount.changed(stale).wait() == .done)
        }
        #expect(isNew, "round \(round)")
      }
      #expect(watch.end() == [])
    }
  }

  @Test(arguments: Injection.all)
  private func `shows what was before a change of which the kernel is not told`(
    _ injection: Injection
  ) throws {
    // A listing is never cached.
    if injection.testDescription == "a file comes beside it" { return }
    try withPhone { mount in
      let watch = try Watch(mount, Injection.content(0))
      for round in 1...2 {
        _ = try watch.during {
          _ = try mount.withDevice { device in try injection.change(&device, round) }
        }
      }
      #expect(!watch.end().isEmpty)
    }
  }

  @Test(arguments: Swap.allCases)
  private func `never shows what was before the whole device is swapped`(_ swap: Swap) throws {
    try withPhone { mount in
      let watch = try Watch(mount, Injection.content(0))
      mount.withDevice { $0.settle() }
      var gone: [Watch.Look: Int32] = [:]
      for round in 1...Self.rounds {
        // What a power cut loses.
        let isWritten = try watch.during(failing: gone) {
          try Files.write(mount.directory + "/d/f", Injection.content(100 + round))
          try Files.write(mount.directory + "/d/unsynced", [])
        }
        gone = [.keptRead: ESTALE, .keptStatus: ESTALE]
        let isSwapped = try watch.during(failing: gone) { try swap.happen(mount, round) }
        #expect(isWritten && isSwapped, "round \(round)")
      }
      #expect(watch.end() == [])
    }
  }

  @Test(arguments: Swap.allCases)
  private func `shows what was before the device is swapped without the kernel`(
    _ swap: Swap
  ) throws {
    try withPhone { mount in
      try Files.makeDirectory(mount.directory + "/d")
      try Files.write(mount.directory + "/d/f", Injection.content(0))
      mount.withDevice { $0.settle() }
      try Files.write(mount.directory + "/d/f", Injection.content(100))
      let before = try Files.status(mount.directory + "/d/f")
      swap.happenSilently(mount, 1)
      #expect(try Files.status(mount.directory + "/d/f") == before)
      #expect(mount.stored("/d/f")?.count != before.sizeBytes)
    }
  }

  private func armError(_ mount: MountedDevice, _ kind: OperationKind) -> FaultID {
    let trigger = ArmedFault.Trigger.call(kind, path: PathPattern("/d/f"), occurrence: 1)
    let fault = ArmedFault(
      name: "error", trigger: trigger, effect: .error(.inputOutput), times: .max)
    return mount.withDevice { $0.arm(fault) }
  }

  /// For each operation that the kernel answers by itself: the looks that must fail when it does.
  @Test(arguments: [
    (OperationKind.read, [Watch.Look.read: EIO, .keptRead: EIO]),
    (.attributes, [.status: EIO, .keptStatus: EIO]),
    (.lookUp, [.status: EIO, .read: EIO]),
  ])
  func `lets an armed error hit what the kernel has cached`(
    kind: OperationKind, failing: [Watch.Look: Int32]
  ) throws {
    try withPhone { mount in
      let watch = try Watch(mount, Injection.content(0))
      for round in 1...Self.rounds {
        // A read that may pass the end of the file asks for the length.
        let ignored: [Watch.Look] = kind == .attributes ? [.read, .keptRead] : []
        var fault = FaultID(0)
        let isHit = try watch.during(failing: failing, ignoring: ignored) {
          fault = armError(mount, kind)
          #expect(mount.forgetCaches(for: kind).wait() == .done)
        }
        #expect(isHit, "round \(round)")
        #expect(try watch.during { mount.withDevice { $0.disarm(fault) } }, "round \(round)")
      }
      #expect(watch.end() == [])
    }
  }

  /// An error of a read is not hidden for long: a file that is opened meanwhile is read directly.
  @Test(arguments: [OperationKind.attributes, .lookUp])
  func `hides an armed error behind the caches of a kernel that is not told`(
    kind: OperationKind
  ) throws {
    try withPhone { mount in
      let watch = try Watch(mount, Injection.content(0))
      _ = try watch.during {}
      let fault = armError(mount, kind)
      _ = try watch.during {}
      #expect(watch.end() == [])
      #expect(mount.withDevice { $0.faults.entries.first { $0.id == fault }?.status } == .armed)
    }
  }
}
