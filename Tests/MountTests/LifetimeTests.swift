import Device
import Foundation
import Linux
import Testing

@testable import Mount

extension `A mounted device` {
  private func temporary() -> String { NSTemporaryDirectory() + "place-\(UUID().uuidString)" }

  private func refusal(_ directory: String) -> MountError? {
    do {
      let mount = try MountedDevice(at: directory, device: StorageDevice(DeviceSetup()))
      mount.unmount()
      return nil
    } catch { return error }
  }

  @Test func `refuses a place that is not fit, and leaves it as it was`() throws {
    let folder = temporary()
    #expect(refusal(folder + "/deeper/phone") == .parentMissing(directory: folder + "/deeper"))
    try Files.makeDirectory(folder)
    defer { try? Files.removeTree(folder) }
    try Files.write(folder + "/file", [1])
    #expect(refusal(folder + "/file") == .notDirectory(folder + "/file"))
    #expect(refusal(folder) == .notEmpty(folder))
    #expect(try Files.list(folder) == ["file"])
    #expect(
      MountError.notEmpty("/p").description == "folder not empty: /p; choose an empty or a new one")
  }

  @Test func `refuses a folder on which a phone is mounted`() throws {
    try withPhone { mount in
      #expect(refusal(mount.directory) == .alreadyMounted(mount.directory))
      try Files.write(mount.directory + "/still-here", [1])
    }
  }

  @Test func `keeps a folder that was there before`() throws {
    let folder = temporary() + " with space"
    try Files.makeDirectory(folder)
    let mount = try MountedDevice(at: folder + "/", device: StorageDevice(DeviceSetup()))
    #expect(MountPoint.isMounted(folder))
    mount.unmount()
    mount.unmount()
    #expect(!MountPoint.isMounted(folder))
    #expect(Files.exists(folder))
    try Files.remove(folder)
  }

  @Test func `unmounts under held operations, running apps and strangers' open files`() throws {
    let folder = temporary()
    let mount = try MountedDevice(at: folder, device: StorageDevice(DeviceSetup()))
    try Files.write(folder + "/open", [1])
    let stranger = try Descriptor.open(folder + "/open", O_RDONLY)
    _ = mount.arm(.hold, .makeDirectory)
    let app = try App(mount, "import os; os.mkdir('d')")
    let idle = try App(mount, "import time; print('on'); time.sleep(60)")
    #expect(try idle.line() == "on")
    #expect(mount.waitUntilHeld(timeoutMs: 5_000) != nil)
    mount.unmount()
    #expect(try app.status() == .signalled(9))
    #expect(try idle.status() == .signalled(9))
    #expect(!Files.exists(folder))
    #expect(throws: MountError.ended(folder)) { try mount.powerCut(.none) }
    withExtendedLifetime(stranger) {}
  }

  @Test func `notices that it was unmounted by hand`() throws {
    let folder = temporary()
    let mount = try MountedDevice(at: folder, device: StorageDevice(DeviceSetup()))
    #expect(!mount.waitUntilEnded(timeoutMs: 10))
    try MountPoint.detach(mount.directory)
    #expect(mount.waitUntilEnded(timeoutMs: 5_000))
    mount.unmount()
    #expect(!Files.exists(folder))
  }

  @Test(arguments: [true, false])
  func `leaves no mount and no child when it is killed, or the next start cleans up`(
    helped: Bool
  ) async throws {
    let folder = temporary()
    let note = folder + ".note"
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [folder = folder as String, note = note as String, helped] in
      var options = MountOptions()
      options.unmountsWhenKilled = helped
      let mount = try MountedDevice(
        at: folder, device: StorageDevice(DeviceSetup()), options: options)
      let app = try App(mount, "import time; print('on'); time.sleep(60)")
      _ = try app.line()
      try Files.write(note, Array("\(app.child.processNumber)".utf8))
      kill(getpid(), SIGKILL)
    }
    let text = String(decoding: try Files.read(note), as: UTF8.self)
    let child = try #require(Int32(text))
    // The kernel tells the child, and the helper, of the death; both need a moment.
    if let pidfd = try? Pidfd(process: child) { #expect(try pidfd.waitForEnd(timeoutMs: 5_000)) }
    let deadline = Clocks.monotonicNs + 5_000_000_000
    while helped, MountPoint.isMounted(folder), Clocks.monotonicNs < deadline { sched_yield() }
    #expect(MountPoint.isMounted(folder) == !helped)

    let next = try MountedDevice(at: folder, device: StorageDevice(DeviceSetup()))
    try Files.write(folder + "/f", [1])
    next.unmount()
    #expect(!MountPoint.isMounted(folder))
    try? Files.removeTree(folder)
    try Files.remove(note)
  }
}
