import Chaos
import Device
import Linux
import Mount

/// What the lab does around a phone: mounts, processes, whole cases.
enum ProcessWork {
  static let device = "device: 4 KiB write, sync"
  static let mount = "mount, unmount"
  static let worker = "worker: start to reaped"

  private static let implementation = PhoneProcess.implementation

  /// Mounts a device in this process and unmounts it; without the helper that unmounts for a killed
  /// process.
  static func mountCycle(in scratch: String, _ share: Int) -> Probe {
    var options = MountOptions()
    options.unmountsWhenKilled = false
    return Probe(mount, implementation, callCount: max(1, share / 5)) {
      [options] _ in
      let mount = try MountedDevice(
        at: "\(scratch)/cycle", device: StorageDevice(DeviceSetup()), options: options)
      _ = try Files.status("\(mount.directory)/.lab")
      mount.unmount()
    }
  }

  /// Starts the phone's worker program, waits until it is ready, kills and buries it.
  static func workerCycle(
    _ programs: PhoneHost.Programs, in scratch: String, _ share: Int
  ) -> Probe {
    Probe(worker, implementation, callCount: max(1, share / 5)) { _ in
      let (output, writing) = try Descriptor.pipe()
      var launch = ChildProcess.Launch([
        programs.app, "system-daemon", "--root", scratch, "--socket", "\(scratch)/worker.sock",
      ])
      launch.descriptors = [nil, writing, .standardError]
      let child = try ChildProcess(launch)
      guard try LineReader(output).next(patienceMs: 10_000) == "ready" else {
        throw BenchmarkError.phone("\(programs.app) did not become ready")
      }
      try child.kill()
      try child.wait()
    }
  }

  /// One page written and synced on the device model alone, without the kernel.
  static func deviceCycle(_ share: Int) throws -> Probe {
    var device = StorageDevice(DeviceSetup())
    let made = device.perform(
      .create(in: .root, "data", Ownership(mode: 0o600)), by: .unknown, at: 0)
    guard case .reply(.success(.attributes(let attributes))) = made.answer else {
      throw BenchmarkError.phone("the device made no file")
    }
    let page = [UInt8](repeating: 0x5A, count: Inode.pageBytes)
    return Probe(
      Self.device, implementation, bytes: Inode.pageBytes, callCount: 20 * share
    ) { number in
      let offset = number % 16 * Inode.pageBytes
      _ = device.perform(.write(attributes.inode, offset: offset, page), by: .unknown, at: 0)
      _ = device.perform(.sync(attributes.inode, dataOnly: false), by: .unknown, at: 0)
    }
  }
}
