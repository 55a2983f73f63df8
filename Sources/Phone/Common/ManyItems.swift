package import Ports

/// The calls of AsyncStorage that take several keys, or all of them.
package protocol ManyItems: PlainStorage {
  func values(of keys: [String]) async throws(NativeError) -> [(key: String, value: String?)]
  func setAll(_ pairs: [(key: String, value: String)]) async throws(NativeError)
  func removeAll(_ keys: [String]) async throws(NativeError)
  /// Merges objects into stored ones, level by level.
  func mergeAll(_ pairs: [(key: String, value: String)]) async throws(NativeError)
  func allKeys() async throws(NativeError) -> [String]
  func clear() async throws(NativeError)
}

extension ManyItems {
  /// Merges an object into a stored one, as the modules' JavaScript does: one of several.
  package func mergeItem(_ name: String, with value: String) async throws(NativeError) {
    try await mergeAll([(name, value)])
  }
}

extension AsyncStorageModule: ManyItems {
  package func values(
    of keys: [String]
  ) async throws(NativeError) -> [(key: String, value: String?)] {
    do throws(AsyncStorageFailure) {
      return try await multiGet(keys)
    } catch {
      throw error.native(settings.version)
    }
  }

  package func setAll(_ pairs: [(key: String, value: String)]) async throws(NativeError) {
    do throws(AsyncStorageFailure) {
      try await multiSet(pairs)
    } catch {
      throw error.native(settings.version)
    }
  }

  package func removeAll(_ keys: [String]) async throws(NativeError) {
    do throws(AsyncStorageFailure) {
      try await multiRemove(keys)
    } catch {
      throw error.native(settings.version)
    }
  }
}

extension RKStorageModule: ManyItems {
  package func values(
    of keys: [String]
  ) async throws(NativeError) -> [(key: String, value: String?)] {
    try await multiGet(keys)
  }

  package func setAll(_ pairs: [(key: String, value: String)]) async throws(NativeError) {
    try await multiSet(pairs)
  }

  package func removeAll(_ keys: [String]) async throws(NativeError) {
    try await multiRemove(keys)
  }
}

extension RoomModule: ManyItems {
  package func values(
    of keys: [String]
  ) async throws(NativeError) -> [(key: String, value: String?)] {
    try await multiGet(keys)
  }

  package func setAll(_ pairs: [(key: String, value: String)]) async throws(NativeError) {
    try await multiSet(pairs)
  }

  package func removeAll(_ keys: [String]) async throws(NativeError) {
    try await multiRemove(keys)
  }

  /// A no-op that resolves, as in 3.x on iOS.
  package func mergeAll(_ pairs: [(key: String, value: String)]) async throws(NativeError) {}
}
