import Crypto
import Foundation
import JSON
import Ports
import Session
import Testing

/// Gives bytes that were decided before.
final class DecidedEntropy: Entropy {
  private var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func bytes(_ count: Int) -> [UInt8] {
    defer { bytes.removeFirst(count) }
    return Array(bytes.prefix(count))
  }
}

/// `Vectors/durable.json`, made with another library: node's `crypto`.
@Suite struct `The vectors of the durable store` {
  static func cases(_ list: String) throws -> [JSONObject] {
    let folder = try #require(Bundle.module.url(forResource: "Vectors", withExtension: nil))
    let file = try Data(contentsOf: folder.appending(path: "durable.json"))
    let fields = try #require(try JSONReader.read(Array(file)).value[list]?.list)
    try #require(!fields.isEmpty)
    return try fields.map { try #require($0.object) }
  }

  @Test func `are met: derived keys, blob and text`() async throws {
    for one in try Self.cases("cases") {
      func text(_ field: String) throws -> String { try #require(one[field]?.text) }
      let id = try text("id")
      let salt = try Hexadecimal.decode(text("salt"))
      let derived = try HKDF.derive(
        from: Hexadecimal.decode(text("key")), salt: salt,
        info: Array("durable 1 \(text("name"))".utf8), count: 64)
      #expect(try Hexadecimal.encode(derived) == text("derived"), "\(id)")

      let bench = DurableBench()
      bench.key.items[try text("name")] = try text("keyItem")
      let ports = StorePorts(
        secure: bench.key, plain: bench.blob,
        entropy: DecidedEntropy(salt + [UInt8](repeating: 1, count: 32)),
        console: bench.console, trace: FakeTrace(bench.trace))
      let store = try DurableStore(ports)
      if id != "older-of-two-keys" {
        try await store.setItem(text("name"), to: JavaScriptString(text("text")))
        #expect(try bench.blob.items[text("name")] == text("blob"), "\(id)")
      }
      bench.blob.items = [try text("name"): try text("blob")]
      #expect(try await store.item(text("name")) == JavaScriptString(text("text")), "\(id)")
      #expect(bench.key.changeCount == 0 && bench.heals.isEmpty, "\(id)")
    }
  }

  @Test func `of the published recipe are read, and sealed anew under their key`() async throws {
    for one in try Self.cases("legacy") {
      let bench = DurableBench()
      let name = try #require(one["name"]?.text)
      bench.key.items[name] = one["keyItem"]?.text
      bench.blob.items[name] = one["blob"]?.text
      let text = try JavaScriptString(#require(one["text"]?.text))
      #expect(try await bench.launch().item(name) == text)
      #expect(bench.blob.items[name] == one["blob"]?.text, "the old one is the spare")
      #expect(bench.blob.items["\(name).2"]?.hasPrefix("1.") == true)
      bench.blob.items[name] = nil
      #expect(bench.key.items[name] == one["keyItem"]?.text)
      #expect(try await bench.launch().item(name) == text)
    }
  }

  @Test func `are not met with any other name`() async throws {
    for one in try Self.cases("cases") {
      let bench = DurableBench()
      bench.key.items["other"] = one["keyItem"]?.text
      bench.blob.items["other"] = one["blob"]?.text
      #expect(try await bench.launch().item("other") == nil)
      #expect(bench.heals.map(\.reason) == [.notAuthentic])
    }
  }
}
