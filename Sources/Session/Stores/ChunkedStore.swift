import Ports

/// Better Auth's way to keep a long text: chunks in the key half, and no word about a write that fails.
final class ChunkedStore: SessionStore {
  private let storage: ChunkedStorage

  init(_ ports: StorePorts, _ layout: ChunkedStorage.Layout, rule: SizeRule) {
    let secure = rule == .enforce ? MeasuredStorage(ports.secure) : ports.secure
    storage = ChunkedStorage(secure, layout, console: ports.console)
  }

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    do throws(NativeError) {
      let text = try await storage.item(name)
      // An emptied item is one that is being written.
      return text.flatMap { $0.isEmpty ? nil : JavaScriptString($0) }
    } catch {
      throw .native(error)
    }
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    await storage.setItem(name, to: value.repaired)
  }

  func removeItem(_ name: String) async throws(StoreError) {
    do throws(NativeError) {
      try await storage.removeItem(name)
    } catch {
      throw .native(error)
    }
  }
}

/// A secure storage that refuses what is longer than its promise.
private final class MeasuredStorage: SecureStorage {
  private let storage: any SecureStorage

  init(_ storage: any SecureStorage) { self.storage = storage }

  func item(_ name: String) async throws(NativeError) -> String? { try await storage.item(name) }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    guard value.utf8.count <= SizeRule.limitBytes else {
      throw NativeError(message: "\(value.utf8.count) bytes are more than \(SizeRule.limitBytes)")
    }
    try await storage.setItem(name, to: value)
  }

  func removeItem(_ name: String) async throws(NativeError) { try await storage.removeItem(name) }
}
