import Device
import Session
import Testing

@testable import Chaos

/// The search behind `plaintextLeaked`.
@Suite struct `The search for a token in the clear` {
  private let token = Array("secret-token".utf8)

  private func device(with bytes: [UInt8], at offset: Int) throws -> StorageDevice {
    var device = StorageDevice(DeviceSetup())
    let made = device.perform(
      .create(in: .root, "f", Ownership(mode: 0o600)), by: ProcessNumber(1), at: 0)
    guard case .reply(.success(.attributes(let file))) = made.answer else {
      throw DeviceError.inputOutput
    }
    _ = device.perform(
      .write(file.inode, offset: offset, bytes), by: ProcessNumber(1), at: 0)
    return device
  }

  @Test(arguments: [0, 1, 4090, 9000])
  func `finds it wherever it stands, also across two pages`(offset: Int) throws {
    #expect(try device(with: token, at: offset).live.holds(token))
  }

  @Test func `finds it after a false start`() throws {
    #expect(try device(with: Array("ssecret-tsecret-token".utf8), at: 7).live.holds(token))
  }

  @Test func `finds nothing in other bytes, nor in a part of it`() throws {
    #expect(try !device(with: Array("secret-tokem".utf8), at: 0).live.holds(token))
    #expect(try !device(with: token.dropLast(), at: 5).live.holds(token))
  }

  @Test func `remembers what it has seen of a file, until the file changes`() throws {
    let search = TokenSearch()
    var device = try device(with: Array("nothing".utf8), at: 0)
    let file = try #require(device.live.resolve("/f"))
    for _ in 0..<2 { #expect(!search.finds(token, in: device.live)) }
    device.noteShares()
    #expect(!search.finds(token, in: device.live))
    _ = device.perform(.write(file, offset: 4090, token), by: ProcessNumber(1), at: 0)
    for _ in 0..<2 { #expect(search.finds(token, in: device.live)) }
    #expect(!search.finds(Array("no-token".utf8), in: device.live))
    _ = device.perform(.write(file, offset: 4091, [0]), by: ProcessNumber(1), at: 0)
    #expect(!search.finds(token, in: device.live))
  }

  @Test func `knows the token of a session by all that makes it another`() throws {
    let search = TokenSearch()
    let one = try #require(search.token(of: "ada", generation: 1, issuedAtMs: 0, .standard))
    #expect(search.token(of: "ada", generation: 1, issuedAtMs: 0, .standard) == one)
    #expect(search.token(of: "ada", generation: 2, issuedAtMs: 0, .standard) != one)
    #expect(search.token(of: "bob", generation: 1, issuedAtMs: 0, .standard) != one)
  }
}
