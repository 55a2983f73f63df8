package import Ports

/// expo-secure-store on Android: entries in `SecureStore.xml`, encrypted under a key of the
/// keystore that is made when it is first needed.
///
/// Asynchronous functions of all modules run one after the other on one thread. The owner passes
/// every prompt for a fingerprint or a face, unless the phone is locked. Source: expo/expo
/// `SecureStoreModule.kt`, `AESEncryptor.kt`, `SecureStoreExceptions.kt`; Android's
/// `AndroidKeyStoreSpi.java`.
///
/// Any failure to ask the keystore for a key looks like no key, as `containsAlias` of Android does
/// it: from 13.0.2 on, a keystore that cannot be reached costs the entry that is read.
package final class SecureStoreModule: SecureStorage {
  private let daemon: any SystemDaemon
  private let points: any TracePoint
  private let files: any FileSystem
  private let settings: SecureStoreSettings
  private let preferencesSettings: PreferencesSettings
  private let queue = SerialQueue()
  /// The preferences that this launch has used, by path.
  private var loaded: [String: SharedPreferences] = [:]

  /// Makes the module for one launch of an app.
  package init(
    daemon: any SystemDaemon, points: any TracePoint, files: any FileSystem,
    settings: SecureStoreSettings, preferences: PreferencesSettings
  ) {
    self.daemon = daemon
    self.points = points
    self.files = files
    self.settings = settings
    preferencesSettings = preferences
  }

  package func item(_ name: String) async throws(NativeError) -> String? {
    try SecureStoreName.check(name)
    return try await inTurn("getValueWithKeyAsync") { () async throws(SecureStoreFailure) in
      let preferences = try self.secureStore()
      guard let text = preferences.text(SecureStoreEntry.name(for: name)) ?? preferences.text(name)
      else { return nil }
      return try await self.value(of: text, name, in: preferences)
    }
  }

  /// Announces the written key also when a commit failed whose result nobody looks at.
  package func setItem(_ name: String, to value: String) async throws(NativeError) {
    try SecureStoreName.check(name)
    try await inTurn("setValueWithKeyAsync") { () async throws(SecureStoreFailure) in
      self.points.reach(.beforeKey)
      try await self.set(name, value, in: try self.secureStore(), isRetry: false)
      self.points.reach(.keyWritten)
    }
  }

  package func removeItem(_ name: String) async throws(NativeError) {
    try SecureStoreName.check(name)
    try await inTurn("deleteValueWithKeyAsync") { () async throws(SecureStoreFailure) in
      try self.delete(name)
    }
  }

  private func inTurn<Result>(
    _ function: String, _ body: () async throws(SecureStoreFailure) -> Result
  ) async throws(NativeError) -> Result {
    await queue.enter()
    defer {
      loaded[AndroidLayout.secureStore]?.finishQueued()
      queue.leave()
    }
    do {
      return try await body()
    } catch {
      throw error.error(in: function)
    }
  }

  private func secureStore() throws(SecureStoreFailure) -> SharedPreferences {
    do {
      return try preferences(AndroidLayout.secureStore)
    } catch {
      throw .unexpected("java.lang.IllegalStateException: \(UserLocked.text)")
    }
  }

  private func preferences(_ path: String) throws(UserLocked) -> SharedPreferences {
    if let known = loaded[path] { return known }
    let preferences = try SharedPreferences(path, on: files, settings: preferencesSettings)
    loaded[path] = preferences
    return preferences
  }

  // MARK: The keystore

  private func call(_ request: KeystoreRequest) async -> KeystoreAnswer {
    do {
      return KeystoreAnswer.reading(try await daemon.call(request.text))
    } catch {
      return KeystoreAnswer(.systemError)
    }
  }

  private func contains(_ alias: String) async -> Bool {
    await call(.contains(alias: alias)).status == .success
  }

  /// Makes the key that the app's option asks for.
  private func generateKey() async -> Bool {
    let requires = settings.requiresAuthentication
    let alias = SecureStoreEntry.alias(requiresAuthentication: requires)
    let request = KeystoreRequest.generateKey(alias: alias, requiresAuthentication: requires)
    return await call(request).status == .success
  }

  private static let generationFailed = "Keystore key generation failed"
  private static let operationFailed = "Keystore operation failed"
}

// MARK: - Reading

extension SecureStoreModule {
  private func value(
    of text: String, _ name: String, in preferences: SharedPreferences
  ) async throws(SecureStoreFailure) -> String? {
    let header = try SecureStoreEntry.header(of: text, for: name)
    guard let alias = try await alias(for: header, name) else {
      try delete(name)
      return nil
    }
    let entry = try SecureStoreEntry(header, for: name)
    let answer = await call(
      .decrypt(alias: alias, nonce: entry.nonce, data: entry.ciphertext))
    switch answer.status {
    case .success: return answer.data.map { String(decoding: $0, as: UTF8.self) }
    case .keyPermanentlyInvalidated, .keyNotFound: return nil
    case .verificationFailed:
      switch settings.version {
      case .before13:
        throw .decrypt(name, "Could not decrypt the value with provided keychain ")
      case .from13, .commitChecked:
        try delete(name)
        return nil
      }
    case .userNotAuthenticated: throw .authentication
    case .invalidNonce: throw .decrypt(name, "Invalid IV")
    default: throw .decrypt(name, Self.operationFailed)
    }
  }

  /// The key of an entry, or `nil` when it is lost. Older versions make one even to read: with
  /// the option of the reader, not that of the entry.
  private func alias(
    for header: SecureStoreEntry.Header, _ name: String
  ) async throws(SecureStoreFailure) -> String? {
    if await contains(header.alias) { return header.alias }
    switch settings.version {
    case .from13, .commitChecked: return nil
    case .before13:
      guard header.usesKeystoreSuffix else {
        throw .decrypt(name, "Could not find a keychain for key \(name)")
      }
      guard await generateKey() else { throw .decrypt(name, Self.generationFailed) }
      return SecureStoreEntry.alias(requiresAuthentication: settings.requiresAuthentication)
    }
  }
}

// MARK: - Writing

extension SecureStoreModule {
  private func set(
    _ name: String, _ value: String, in preferences: SharedPreferences, isRetry: Bool
  ) async throws(SecureStoreFailure) {
    let alias = SecureStoreEntry.alias(requiresAuthentication: settings.requiresAuthentication)
    if isRetry { try await removeKey(alias, name, in: preferences) }
    if !(await contains(alias)) {
      guard await generateKey() else { throw .write(name, Self.generationFailed) }
    }
    let answer = await call(.encrypt(alias: alias, Array(value.utf8)))
    switch answer.status {
    case .success: break
    case .keyPermanentlyInvalidated, .keyNotFound:
      guard isRetry else { return try await set(name, value, in: preferences, isRetry: true) }
      throw .encrypt(
        name,
        "Encryption Failed. The key \(name) has been permanently invalidated and cannot be "
          + "reinitialized")
    case .userNotAuthenticated: throw .authentication
    default: throw .encrypt(name, Self.operationFailed)
    }
    guard let nonce = answer.nonce, let ciphertext = answer.data else {
      throw .encrypt(name, Self.operationFailed)
    }
    let entry = SecureStoreEntry(
      ciphertext: ciphertext, nonce: nonce,
      requiresAuthentication: settings.requiresAuthentication)
    try save(entry, name, in: preferences)
  }

  /// Removes a dead key, and every entry that was encrypted under it.
  private func removeKey(
    _ alias: String, _ name: String, in preferences: SharedPreferences
  ) async throws(SecureStoreFailure) {
    let status = await call(.deleteKey(alias: alias)).status
    guard status == .success || status == .keyNotFound else {
      throw .encrypt(name, "Failed to delete entry: \(alias)")
    }
    for (entry, value) in preferences.map.entries {
      if case .text(let text) = value, SecureStoreEntry.needsAuthenticatedKey(text) {
        preferences.apply([.remove(entry)])
      }
    }
  }

  private func save(
    _ entry: SecureStoreEntry, _ name: String, in preferences: SharedPreferences
  ) throws(SecureStoreFailure) {
    let entryName = SecureStoreEntry.name(for: name)
    let isWritten = commit([.put(entryName, entry.text)], to: preferences)
    if !isWritten, settings.version == .commitChecked {
      // The wording of the fix is not known; it is that of versions before 12.5.
      throw .write(name, "Could not write encrypted JSON to SecureStore")
    }
    if preferences.map[name] != nil { preferences.apply([.remove(name)]) }
  }

  /// Commits, and where the result is looked at takes back in memory what did not reach the disk:
  /// with another commit.
  private func commit(
    _ edits: [SharedPreferences.Edit], to preferences: SharedPreferences
  ) -> Bool {
    let previous = edits.map { edit -> SharedPreferences.Edit in
      preferences.text(edit.name).map { .put(edit.name, $0) } ?? .remove(edit.name)
    }
    if preferences.commit(edits) { return true }
    if settings.version == .commitChecked { _ = preferences.commit(previous) }
    return false
  }
}

// MARK: - Deleting

extension SecureStoreModule {
  private func delete(_ name: String) throws(SecureStoreFailure) {
    let isDeleted: Bool
    do {
      isDeleted = delete(
        name, from: try preferences(AndroidLayout.secureStore),
        and: try preferences(AndroidLayout.defaultPreferences))
    } catch {
      throw .delete(name, UserLocked.text)
    }
    guard isDeleted else { throw .delete(name, "Could not delete the item from SecureStore") }
  }

  private func delete(
    _ name: String, from secureStore: SharedPreferences, and oldest: SharedPreferences
  ) -> Bool {
    let entryName = SecureStoreEntry.name(for: name)
    switch settings.deletes {
    case .presentOnly:
      var isDeleted = true
      for (file, present) in [(secureStore, entryName), (secureStore, name), (oldest, name)]
      where file.map[present] != nil {
        isDeleted = file.commit([.remove(present)]) && isDeleted
      }
      return isDeleted
    case .alwaysCommits:
      let isDeleted = commit([.remove(entryName), .remove(name)], to: secureStore)
      return oldest.commit([.remove(name)]) && isDeleted
    }
  }
}
