import Crypto
import Foundation
import JSON
import Session
import Testing

/// One case of a recording of aes-js.
struct CipherCase {
  var fields: JSONObject

  var id: String { fields["id"]?.text ?? "?" }
  var operation: String { fields["op"]?.text ?? "?" }

  /// A text field; texts that are not valid Unicode stand in `nameUTF16` as code units.
  func text(_ name: String) -> JavaScriptString? {
    if let text = fields[name]?.text { return JavaScriptString(text) }
    guard let units = fields["\(name)UTF16"]?.list else { return nil }
    return JavaScriptString(units: units.compactMap(\.integer).compactMap(UInt16.init(exactly:)))
  }

  /// What in the model's answer differs from the recording.
  func differences(_ cipher: inout AESJSCipher) throws -> [String] {
    switch operation {
    case "roundTrip": return try roundTrip(&cipher)
    case "decode": return try decode(&cipher)
    default: return ["unknown op '\(operation)'"]
    }
  }

  private func roundTrip(_ cipher: inout AESJSCipher) throws -> [String] {
    let keyText = try #require(text("keyHex"))
    let plain = try #require(text("text"))
    let key = try Hexadecimal.decode(keyText.repaired)
    var found: [String] = []
    do throws(AESJSError) {
      let blob = JavaScriptString(try cipher.encrypt(plain, key: key))
      if text("blobHex") != blob { found.append("blob") }
      let decoded = try cipher.decrypt(blob, keyText: keyText)
      if decoded != text("decoded") ?? plain { found.append("decoded text") }
      if fields["decodesBack"]?.bool != (decoded == plain) { found.append("decodesBack") }
    } catch {
      if fields["encryptError"]?.text != error.javaScriptText { found.append("error") }
    }
    return found
  }

  private func decode(_ cipher: inout AESJSCipher) throws -> [String] {
    let keyText = try #require(text("keyHex"))
    let blob = try #require(text("blobHex"))
    do throws(AESJSError) {
      let result = try cipher.decrypt(blob, keyText: keyText)
      var found: [String] = []
      if text("result") != result { found.append("result") }
      if fields["resultJSON"]?.text != Self.jsonType(result) { found.append("JSON type") }
      return found
    } catch {
      return fields["error"]?.text == error.javaScriptText ? [] : ["error"]
    }
  }

  /// The type of a JSON text in JavaScript's words, as our reader sees it.
  private static func jsonType(_ text: JavaScriptString) -> String {
    guard
      let node = try? JSONReader.read(text.repaired, JSONRules(.json, duplicateKeys: .lastWins))
    else { return "invalid" }
    switch node.content {
    case .null: return "null"
    case .bool: return "boolean"
    case .integer, .unsigned, .double: return "number"
    case .text: return "string"
    case .list: return "array"
    case .object: return "object"
    }
  }
}

@Suite struct `Recordings of aes-js` {
  /// The committed recording, or every one in the folder that `LAB_VECTORS` names.
  static func files() throws -> [URL] {
    let named = ProcessInfo.processInfo.environment["LAB_VECTORS"]
    let own = Bundle.module.url(forResource: "Vectors", withExtension: nil)
    let folder = try named.map { URL(fileURLWithPath: $0) } ?? #require(own)
    let all = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return try all.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.filter {
      guard !$0.lastPathComponent.hasPrefix("aes-js") else { return true }
      return try recording($0)["source"]?["library"]?.text == "aes-js"
    }
  }

  /// Read with our own reader: Foundation's drops a byte order mark at the start of a text.
  static func recording(_ file: URL) throws -> JSONValue {
    try JSONReader.read(Array(Data(contentsOf: file))).value
  }

  static func cases(_ file: URL) throws -> [CipherCase] {
    let cases = try #require(recording(file)["cases"]?.list)
    return try cases.map { CipherCase(fields: try #require($0.object)) }
  }

  @Test func `are met in every case: bytes, text and error`() throws {
    let files = try Self.files()
    try #require(!files.isEmpty, "there is at least one recording")
    var cipher = try AESJSCipher()
    for file in files {
      #expect(try Self.recording(file)["format"]?.integer == 1, "\(file.lastPathComponent)")
      let cases = try Self.cases(file)
      try #require(!cases.isEmpty)
      for one in cases {
        let differences = try one.differences(&cipher)
        #expect(differences.isEmpty, "\(file.lastPathComponent) \(one.id)")
      }
    }
  }

  @Test func `are not met when any answer is changed`() throws {
    var cipher = try AESJSCipher()
    var changed = 0
    for file in try Self.files() {
      for one in try Self.cases(file) {
        for name in ["blobHex", "result", "error", "encryptError", "decoded", "resultJSON"] {
          guard let text = one.fields[name]?.text else { continue }
          // The blob is an input of `decode`.
          guard name != "blobHex" || one.operation == "roundTrip" else { continue }
          var other = one
          other.fields[name] = .text(text + "0")
          #expect(try !other.differences(&cipher).isEmpty, "\(one.id) \(name)")
          changed += 1
        }
      }
    }
    #expect(changed > 0)
  }
}
