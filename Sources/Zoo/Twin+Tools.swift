import JSON
import Ports
import Session

extension StorePorts {
  /// The same, with other halves.
  func over(_ secure: any SecureStorage, _ plain: any PlainStorage) -> StorePorts {
    var ports = self
    ports.secure = secure
    ports.plain = plain
    return ports
  }

  /// Removes what a store has under a name, without any care.
  func erase(_ name: String) async throws(StoreError) {
    try await eraseBlobs(name)
    try await native { () async throws(NativeError) in try await secure.removeItem(name) }
  }

  func eraseBlobs(_ name: String) async throws(StoreError) {
    for place in DurableStore.places(of: name) {
      try await native { () async throws(NativeError) in try await plain.removeItem(place) }
    }
  }
}

/// A call of a half, whose rejection is the store's.
func native<Value>(
  _ call: () async throws(NativeError) -> Value
) async throws(StoreError) -> Value {
  do throws(NativeError) {
    return try await call()
  } catch {
    throw .native(error)
  }
}

extension JavaScriptString {
  /// Whether it is a text on which the client's `JSON.parse` throws.
  var isBroken: Bool {
    guard !isEmpty else { return false }
    do throws(JSONError) {
      _ = try JSONReader.read(repaired, JSONRules(.json, duplicateKeys: .lastWins))
      return false
    } catch {
      return true
    }
  }
}

/// What an indulgent reader does to a JSON text that was cut off.
enum Brackets {
  /// The text up to its last comma, with all that is open there closed.
  static func closed(_ text: String) -> String {
    var open: [Character] = []
    var isInString = false
    var isEscaped = false
    var last = (end: text.startIndex, open: open)
    for (index, character) in zip(text.indices, text) {
      switch character {
      case _ where isEscaped: isEscaped = false
      case "\\" where isInString: isEscaped = true
      case "\"": isInString.toggle()
      case _ where isInString: break
      case "{": open.append("}")
      case "[": open.append("]")
      case "}", "]": _ = open.popLast()
      case ",": last = (index, open)
      default: break
      }
    }
    return text[..<last.end] + String(last.open.reversed())
  }
}
