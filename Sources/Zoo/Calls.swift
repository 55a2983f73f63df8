import Ports
import Session

/// The calls of a half, or of a store, each of which a twin may replace by a broken one.
final class Calls<Value, Failure: Error> {
  var reading: (String) async throws(Failure) -> Value?
  var writing: (String, Value) async throws(Failure) -> Void
  var removing: (String) async throws(Failure) -> Void

  init(
    reading: @escaping (String) async throws(Failure) -> Value?,
    writing: @escaping (String, Value) async throws(Failure) -> Void,
    removing: @escaping (String) async throws(Failure) -> Void
  ) {
    self.reading = reading
    self.writing = writing
    self.removing = removing
  }

  func item(_ name: String) async throws(Failure) -> Value? { try await reading(name) }

  func setItem(_ name: String, to value: Value) async throws(Failure) {
    try await writing(name, value)
  }

  func removeItem(_ name: String) async throws(Failure) { try await removing(name) }
}

typealias Half = Calls<String, NativeError>
typealias Store = Calls<JavaScriptString, StoreError>

extension Calls: ItemStorage, SecureStorage, PlainStorage
where Value == String, Failure == NativeError {
  convenience init(_ storage: any ItemStorage) {
    self.init(
      reading: { name async throws(NativeError) in try await storage.item(name) },
      writing: { name, text async throws(NativeError) in
        try await storage.setItem(name, to: text)
      },
      removing: { name async throws(NativeError) in try await storage.removeItem(name) })
  }
}

extension Calls: SessionStore where Value == JavaScriptString, Failure == StoreError {
  convenience init(_ store: any SessionStore) {
    self.init(
      reading: { name async throws(StoreError) in try await store.item(name) },
      writing: { name, text async throws(StoreError) in try await store.setItem(name, to: text) },
      removing: { name async throws(StoreError) in try await store.removeItem(name) })
  }
}
