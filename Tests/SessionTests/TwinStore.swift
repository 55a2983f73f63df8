import Crypto
import Ports
import Session

/// A healing store with one mistake, to see that the checks can fail.
final class TwinStore: SessionStore {
  enum Mistake: String, CaseIterable {
    case none
    case writesBlobFirst
    case reusesKey
    case drawsKeyInPieces
    case storesPlaintext
    case storesTokenWithKey
    case writesUpperCase
    case otherNameForKey
    case leavesKeyOnRemove
    case readsKeyOnMiss
    case healsOnMiss
    case returnsNothing
    case healsSilently
    case warnsTwice
    case warnsWithoutName
    case warnsWithKey
    case healsBlobOnly
    case throwsOnFailure
    case swallowsFailedHealing
    case swallowsFailedWrite
  }

  private let ports: StorePorts
  private let mistake: Mistake
  private var cipher: AESJSCipher
  private var kept: [UInt8]?

  init(_ ports: StorePorts, _ mistake: Mistake) throws(StoreError) {
    self.ports = ports
    self.mistake = mistake
    do throws(AESJSError) {
      cipher = try AESJSCipher()
    } catch {
      throw .cipher(error)
    }
  }

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    if mistake == .returnsNothing { return nil }
    do throws(StoreError) {
      return try await read(name)
    } catch {
      if mistake == .throwsOnFailure { throw error }
      await heal(name, error)
      do throws(StoreError) {
        try await clear(name)
      } catch  where mistake == .swallowsFailedHealing {
        return nil
      }
      return nil
    }
  }

  private func read(_ name: String) async throws(StoreError) -> JavaScriptString? {
    do throws(NativeError) {
      if mistake == .readsKeyOnMiss { _ = try await ports.secure.item(name) }
      guard let blob = try await ports.plain.item(name) else {
        if mistake == .healsOnMiss { try await ports.plain.removeItem(name) }
        return nil
      }
      if mistake == .storesPlaintext { return JavaScriptString(blob) }
      guard var keyText = try await ports.secure.item(keyName(name)) else {
        throw NativeError(message: "no key")
      }
      if mistake == .storesTokenWithKey { keyText = String(keyText.prefix(64)) }
      return try decrypt(blob, keyText)
    } catch {
      throw .native(error)
    }
  }

  private func decrypt(
    _ blob: String, _ keyText: String
  ) throws(NativeError) -> JavaScriptString {
    do throws(AESJSError) {
      return try cipher.decrypt(JavaScriptString(blob), keyText: JavaScriptString(keyText))
    } catch {
      let leaks = mistake == .warnsWithKey
      throw NativeError(message: leaks ? "\(error) \(keyText)" : "\(error)")
    }
  }

  private func heal(_ name: String, _ error: StoreError) async {
    switch mistake {
    case .healsSilently: break
    case .warnsTwice:
      ports.console.warn("\(name) \(error)")
      ports.console.warn("\(name) \(error)")
    case .warnsWithoutName: ports.console.warn("\(error)")
    default: ports.console.warn("\(name) \(error)")
    }
  }

  private func clear(_ name: String) async throws(StoreError) {
    if mistake == .healsBlobOnly {
      do throws(NativeError) {
        try await ports.plain.removeItem(name)
      } catch {
        throw .native(error)
      }
    } else {
      try await removeItem(name)
    }
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    let key = newKey()
    kept = key
    let blob: String
    do throws(AESJSError) {
      blob = try cipher.encrypt(value, key: key)
    } catch {
      throw .cipher(error)
    }
    do throws(NativeError) {
      try await write(name, key: Hexadecimal.encode(key), blob: blob, value)
    } catch  where mistake == .swallowsFailedWrite {
      return
    } catch {
      throw .native(error)
    }
  }

  private func write(
    _ name: String, key: String, blob: String, _ value: JavaScriptString
  ) async throws(NativeError) {
    var blob = mistake == .writesUpperCase ? blob.uppercased() : blob
    if mistake == .storesPlaintext { blob = value.repaired }
    var key = key
    if mistake == .storesTokenWithKey { key += value.repaired.prefix(400) }
    if mistake == .writesBlobFirst { try await ports.plain.setItem(name, to: blob) }
    try await ports.secure.setItem(keyName(name), to: key)
    if mistake != .writesBlobFirst { try await ports.plain.setItem(name, to: blob) }
  }

  private func newKey() -> [UInt8] {
    switch mistake {
    case .reusesKey: kept ?? ports.entropy.bytes(32)
    case .drawsKeyInPieces: ports.entropy.bytes(16) + ports.entropy.bytes(16)
    default: ports.entropy.bytes(32)
    }
  }

  private func keyName(_ name: String) -> String {
    mistake == .otherNameForKey ? "\(name)-key" : name
  }

  func removeItem(_ name: String) async throws(StoreError) {
    do throws(NativeError) {
      try await ports.plain.removeItem(name)
      if mistake != .leavesKeyOnRemove { try await ports.secure.removeItem(keyName(name)) }
    } catch {
      throw .native(error)
    }
  }
}
