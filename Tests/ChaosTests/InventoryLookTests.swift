import Device
import Linux
import Phone
import Ports
import Simulation
import Testing

@testable import Chaos

/// The short way of ``HostedPhone/inventoryLook(after:)``: what has not changed is not looked at again.
@Suite struct `A look at a phone after another one` {
  private func phone(_ kind: PhoneKind, _ chosen: [String: String] = [:]) throws -> SimulatedPhone {
    var setup = PhoneSetup()
    (setup.kind, setup.chosen, setup.seed) = (kind, chosen, 3)
    return try SimulatedPhone(setup)
  }

  private func perform(_ words: [String], on phone: SimulatedPhone) throws {
    let app = try phone.start(AppLaunch(store: "durable"), reaching: nil)
    guard case .result = app.perform(words, atMs: phone.nowMs) else {
      Issue.record("no answer to \(words)")
      return
    }
    app.end()
  }

  @Test(arguments: PhoneKind.allCases)
  func `sees the same while nothing changes`(kind: PhoneKind) throws {
    let phone = try phone(kind)
    try perform(["sign-in"], on: phone)
    let first = phone.inventoryLook(after: nil)
    #expect(first.inventory.keys?.isEmpty == false && !first.inventory.blobs.isEmpty)
    try perform(["get"], on: phone)
    let second = phone.inventoryLook(after: first)
    #expect(second.inventory == first.inventory)
    #expect(second.exchanges == first.exchanges)
    #expect(try phone.inventory() == first.inventory)
  }

  @Test(arguments: PhoneKind.allCases)
  func `sees each change that a look alone sees`(kind: PhoneKind) throws {
    let phone = try phone(kind)
    var last = phone.inventoryLook(after: nil)
    for words in [["sign-in"], ["refresh", "--to", "2"], ["get"], ["sign-out"], ["get"]] {
      try perform(words, on: phone)
      let next = phone.inventoryLook(after: last)
      #expect(next.inventory == (try phone.inventory()), "\(words)")
      #expect((next.inventory == last.inventory) == (words == ["get"]), "\(words)")
      last = next
    }
  }

  @Test(arguments: PhoneKind.allCases)
  func `sees a bit that was flipped in any file of the app`(kind: PhoneKind) throws {
    let phone = try phone(kind)
    try perform(["sign-in"], on: phone)
    let last = phone.inventoryLook(after: nil)
    let folder = phone.state.withLock { $0.phone.inventoryFolder }
    let live = phone.withDevice { $0.live }
    let paths = live.files(matching: PathPattern("*")).map(live.path).filter {
      $0.hasPrefix(folder + "/")
    }
    var changeCount = 0
    for path in paths {
      let size = live.resolve(path).flatMap { live[$0]?.sizeBytes } ?? 0
      for byte in stride(from: 0, to: size, by: 97) {
        let device = phone.withDevice { $0 }
        let altered = phone.withDevice { device in
          Result { try device.alter(.flipBit(path: path, byte: byte, bit: 0)) }
        }
        _ = try altered.get()
        let seen = phone.inventoryLook(after: last).inventory
        #expect(seen == (try phone.inventory()), "byte \(byte) of \(path)")
        if seen != last.inventory { changeCount += 1 }
        phone.withDevice { $0 = device }
      }
    }
    #expect(changeCount > 0)
  }

  @Test func `sees keys that only the service knows to be gone`() throws {
    let phone = try phone(.android)
    try perform(["sign-in"], on: phone)
    let last = phone.inventoryLook(after: nil)
    _ = try phone.ask(KeystoreRequest.clearNamespace.text)
    let next = phone.inventoryLook(after: last)
    #expect(next.files == last.files)
    #expect(next.inventory != last.inventory)
    #expect(next.inventory == (try phone.inventory()))
  }

  /// What its shortness stands on.
  @Test(arguments: PhoneKind.allCases, ["v2", "v3", "v3-scoped"])
  func `needs no file outside of the folder that its phone names`(
    kind: PhoneKind, version: String
  ) throws {
    let phone = try phone(kind, ["asyncStorage": version])
    try perform(["sign-in"], on: phone)
    let look = phone.inventoryLook(after: nil)
    let model = phone.state.withLock { $0.phone }
    var device = phone.withDevice { $0 }
    let live = device.live
    _ = device.change { tree in
      var folder = ""
      for part in model.inventoryFolder.split(separator: "/") {
        for other in live.resolve(folder).map(live.list) ?? [] where other.name != FileName(part) {
          tree.remove("\(folder)/\(other.name)")
        }
        folder += "/\(part)"
      }
    }
    let all = PathPattern("*")
    #expect(device.live.files(matching: all).count < live.files(matching: all).count)
    var exchanges = look.exchanges[...]
    let box = DeviceBox(device) { 0 }
    let inventory = model.inventory(files: DeviceFileSystem(box, process: .unknown)) { request in
      let exchange = exchanges.popFirst()
      #expect(exchange?.request == request)
      return exchange?.answer
    }
    #expect(inventory == look.inventory)
  }
}
