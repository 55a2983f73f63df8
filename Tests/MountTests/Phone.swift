import Device
import Foundation
import Linux
import Mount
import TestSupport
import Testing

/// All tests on real mounts, one after the other.
@Suite(
  .serialized, .ownThread, .timeLimit(.minutes(Machine.patience)),
  .enabled(if: Machine.canMount, "needs /dev/fuse"))
struct `A mounted device` {}

enum Machine {
  static var canMount: Bool { (try? Descriptor.open("/dev/fuse", 2)) != nil }

  /// The interpreter itself, where it is known: a wrapper script would be a second process.
  static let python = Files.exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3"
}

/// A program on a mounted phone, with what it prints.
final class App {
  let number: ProcessNumber
  let child: ChildProcess
  private let out: Descriptor
  private let input: Descriptor

  /// Starts a Python program with the phone's root as its directory.
  init(_ mount: MountedDevice, _ program: String, name: String = "app") throws {
    let (reading, writing) = try Descriptor.pipe()
    let commands = try Descriptor.pipe()
    var launch = ChildProcess.Launch([Machine.python, "-I", "-S", "-u", "-c", program])
    launch.directory = mount.directory
    launch.descriptors = [commands.reading, writing, .standardError]
    (number, child) = try mount.supervisor.spawn(launch, role: .app, name: name)
    out = reading
    input = commands.writing
  }

  /// Waits for the next line; `nil` at the end.
  func line(timeoutMs: Int = 10_000) throws -> String? {
    var bytes: [UInt8] = []
    while bytes.last != UInt8(ascii: "\n") {
      guard try out.waitReadable(timeoutMs: timeoutMs) else { return nil }
      let byte = try out.read(count: 1)
      if byte.isEmpty { return nil }
      bytes += byte
    }
    return String(decoding: bytes.dropLast(), as: UTF8.self)
  }

  /// Lets a program that waits in `input()` go on.
  func go() throws {
    try input.write(Array("\n".utf8))
  }

  func status(timeoutMs: Int = 10_000) throws -> ChildProcess.ExitStatus? {
    try child.wait(timeoutMs: timeoutMs)
  }
}

/// Runs `body` with a phone on a new folder, and unmounts it.
func withPhone(
  _ setup: DeviceSetup = DeviceSetup(), _ change: (inout MountOptions) -> Void = { _ in },
  _ body: (MountedDevice) throws -> Void
) throws {
  let folder = NSTemporaryDirectory() + "phone-\(UUID().uuidString)"
  var options = MountOptions()
  options.unmountsWhenKilled = false
  change(&options)
  let mount = try MountedDevice(at: folder, device: StorageDevice(setup), options: options)
  defer {
    mount.unmount()
    #expect(!Files.exists(folder), "the folder goes with the mount")
  }
  try body(mount)
}

extension MountedDevice {
  /// What the device holds at a path, without the kernel.
  func stored(_ path: String) -> [UInt8]? {
    withDevice { device in
      device.live.resolve(path).flatMap { device.live[$0] }.map {
        $0.read(at: 0, count: $0.sizeBytes)
      }
    }
  }

  func arm(_ effect: ArmedFault.Effect, at trigger: ArmedFault.Trigger) -> FaultID {
    withDevice { $0.arm(ArmedFault(name: "test", trigger: trigger, effect: effect)) }
  }

  func arm(
    _ effect: ArmedFault.Effect, _ kind: OperationKind, _ path: String = "**"
  ) -> FaultID {
    arm(effect, at: .call(kind, path: PathPattern(path), occurrence: 1))
  }
}
