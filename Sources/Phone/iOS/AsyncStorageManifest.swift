import JSON

/// AsyncStorage's index: each key with its short value, or `null` when the value has a file.
///
/// Foundation writes the keys in the order of a hash table; here they are sorted, so that equal
/// indexes give equal bytes.
struct AsyncStorageManifest: Equatable {
  enum Entry: Equatable {
    case inline(String)
    case file
  }

  private var object = JSONObject()

  init() {}

  /// Reads a manifest, or gives `nil` when the text is none: no JSON, or no object. The real
  /// module stops the app at the second.
  init?(_ text: String) {
    do {
      let rules = JSONRules(.json, duplicateKeys: .lastWins)
      guard let object = try JSONReader.read(text, rules).value.object else { return nil }
      self.object = object
    } catch {
      return nil
    }
  }

  /// The text that `NSJSONSerialization` writes, which escapes slashes.
  var text: String {
    let plain = JSONWriter.bytes(of: .object(object))
    var escaped: [UInt8] = []
    escaped.reserveCapacity(plain.count)
    for byte in plain {
      if byte == UInt8(ascii: "/") { escaped.append(UInt8(ascii: "\\")) }
      escaped.append(byte)
    }
    return String(decoding: escaped, as: UTF8.self)
  }

  var keys: [String] { object.members.map(\.key) }

  /// Values of other kinds, which nothing writes, count as their JSON text.
  subscript(key: String) -> Entry? {
    get {
      switch object[key] {
      case nil: nil
      case .null: .file
      case .text(let value): .inline(value)
      case let other?: .inline(JSONWriter.text(of: other))
      }
    }
    set {
      switch newValue {
      case nil: object[key] = nil
      case .file: object[key] = .null
      case .inline(let value): object[key] = .text(value)
      }
    }
  }
}
