import Crypto
import Ports
import SQLite

/// The service that keeps the app's keys: keystore2, with KeyMint behind it.
///
/// A process of its own on the phone, outside of the app's data. It answers one request at a time;
/// each writing one is a transaction, committed before the answer. Keys are stored wrapped under
/// the secret of this phone's trusted environment, and used inside the service only.
///
/// A database that cannot be opened or read answers ``KeystoreStatus/systemError`` until it is
/// repaired, and nothing is deleted. keystore2 itself panics when it cannot open its database, and
/// is started again; apps see the same. What it does with damage that it finds later is not known.
///
/// A key that requires authentication works while the phone is unlocked, for the owner is taken to
/// pass every prompt; in the background there is nobody to ask. A change of the enrolled biometrics
/// makes it unusable for ever. Not modelled: other kinds of keys, keys that require an unlocked
/// phone, limits and expiry, attestation.
package final class KeystoreService {
  private let ports: PhonePorts
  private let settings: KeystoreSettings
  private var lockState: LockState
  private var database: KeystoreDatabase?
  private var wrappingKey: [UInt8]?

  private static let keyBytes = 32
  private static let nonceBytes = 12
  /// The identity of the enrolled biometrics.
  private static let authenticator: Int64 = 1

  /// Makes the service; its files are opened by the first request that needs them.
  package init(on ports: PhonePorts, settings: KeystoreSettings, lockState: LockState) {
    self.ports = ports
    self.settings = settings
    self.lockState = lockState
  }

  /// Answers one request.
  package func answer(_ request: KeystoreRequest) -> KeystoreAnswer {
    switch request {
    case .generateKey(let alias, let requiresAuthentication):
      attempt { try self.generate(alias, requiresAuthentication, in: $0) }
    case .contains(let alias):
      attempt { KeystoreAnswer(try $0.key(alias) == nil ? .keyNotFound : .success) }
    case .encrypt(let alias, let data): attempt { try self.encrypt(alias, data, in: $0) }
    case .decrypt(let alias, let nonce, let data):
      attempt { try self.decrypt(alias, nonce, data, in: $0) }
    case .deleteKey(let alias):
      attempt { KeystoreAnswer(try $0.delete(alias) ? .success : .keyNotFound) }
    case .list: attempt { KeystoreAnswer(.success, aliases: try $0.aliases()) }
    case .clearNamespace:
      attempt { (database) in
        try database.clear()
        return KeystoreAnswer(.success)
      }
    case .invalidateAuthenticated:
      attempt { (database) in
        try database.invalidateAuthenticated()
        return KeystoreAnswer(.success)
      }
    case .setLockState(let state): set(state)
    case .ping, .quit: KeystoreAnswer(.success)
    }
  }

  private func set(_ state: LockState) -> KeystoreAnswer {
    lockState = state
    return KeystoreAnswer(.success)
  }

  /// Opens the files when they are not, runs `body`, and turns failures into statuses.
  private func attempt(_ body: (KeystoreDatabase) throws -> KeystoreAnswer) -> KeystoreAnswer {
    do {
      return try body(try started())
    } catch {
      ports.console.error("keystore: \(error)")
      // The next request opens it anew, and so sees a repaired one.
      database = nil
      return KeystoreAnswer(.systemError)
    }
  }

  private func started() throws -> KeystoreDatabase {
    if let database { return database }
    let files = ports.files
    wrappingKey = try DeviceSecret.load(
      AndroidLayout.keyMintSecret, on: files, entropy: ports.entropy)
    let path = AndroidLayout.keystoreDatabase
    try files.makeDirectories(AndroidLayout.keystoreDirectory, permissions: 0o700)
    // The file's mode is 0600; SQLite gives it to the files beside it.
    try files.createIfMissing(path, permissions: 0o600)
    let opened = try KeystoreDatabase(at: files.database(at: path), journal: settings.journal)
    database = opened
    return opened
  }
}

// MARK: - Keys

extension KeystoreService {
  private func generate(
    _ alias: String, _ requiresAuthentication: Bool, in database: KeystoreDatabase
  ) throws -> KeystoreAnswer {
    let id = ports.entropy.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    var material = ports.entropy.bytes(Self.keyBytes)
    defer { wipe(&material) }
    let nonce = ports.entropy.bytes(Self.nonceBytes)
    let wrapped = try seal(material, key: wrappingKey ?? [], nonce: nonce)
    try database.insert(
      KeystoreDatabase.NewKey(
        id: Int64(bitPattern: id), alias: alias, blob: nonce + wrapped,
        requiresAuthentication: requiresAuthentication, createdMs: ports.clock.nowMs),
      authenticator: Self.authenticator)
    return KeystoreAnswer(.success)
  }

  private func encrypt(
    _ alias: String, _ plaintext: [UInt8], in database: KeystoreDatabase
  ) throws -> KeystoreAnswer {
    try withKey(alias, in: database) { key in
      let nonce = ports.entropy.bytes(Self.nonceBytes)
      let sealed = try seal(plaintext, key: key, nonce: nonce)
      return KeystoreAnswer(.success, nonce: nonce, data: sealed)
    }
  }

  private func decrypt(
    _ alias: String, _ nonce: [UInt8], _ data: [UInt8], in database: KeystoreDatabase
  ) throws -> KeystoreAnswer {
    try withKey(alias, in: database) { key in
      guard nonce.count == Self.nonceBytes else { return KeystoreAnswer(.invalidNonce) }
      guard let plaintext = try open(data, key: key, nonce: nonce) else {
        return KeystoreAnswer(.verificationFailed)
      }
      return KeystoreAnswer(.success, data: plaintext)
    }
  }

  /// Unwraps a key for one operation, as far as its authorizations allow.
  private func withKey(
    _ alias: String, in database: KeystoreDatabase,
    _ body: ([UInt8]) throws -> KeystoreAnswer
  ) throws -> KeystoreAnswer {
    guard let key = try database.key(alias) else { return KeystoreAnswer(.keyNotFound) }
    if let authenticator = key.authenticator {
      guard authenticator == Self.authenticator else {
        return KeystoreAnswer(.keyPermanentlyInvalidated)
      }
      guard lockState == .unlocked else { return KeystoreAnswer(.userNotAuthenticated) }
    }
    let nonce = Array(key.blob.prefix(Self.nonceBytes))
    guard nonce.count == Self.nonceBytes,
      var material = try open(
        Array(key.blob[nonce.count...]), key: wrappingKey ?? [], nonce: nonce)
    else { return KeystoreAnswer(.invalidKeyBlob) }
    defer { wipe(&material) }
    return try body(material)
  }

  private func seal(_ text: [UInt8], key: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
    var gcm = try AESGCM()
    let sealed = try gcm.seal(text, key: key, nonce: nonce)
    return sealed.ciphertext + sealed.tag
  }

  /// The plaintext, or `nil` when the tag does not fit.
  private func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) throws -> [UInt8]? {
    var gcm = try AESGCM()
    do throws(CryptoError) {
      return try gcm.open(
        AESGCM.Sealed(
          ciphertext: sealed.dropLast(AESGCM.tagBytes), tag: sealed.suffix(AESGCM.tagBytes)),
        key: key, nonce: nonce)
    } catch {
      guard error == .notAuthentic else { throw error }
      return nil
    }
  }
}

extension KeystoreService: PhoneService {
  package func reply(to request: String) -> ServiceReply {
    let order: KeystoreRequest
    do {
      order = try KeystoreRequest(request)
    } catch {
      ports.console.error("keystore: bad request: \(error)")
      return ServiceReply(text: KeystoreAnswer(.invalidArgument).text)
    }
    let answer = answer(order)
    return ServiceReply(
      text: answer.text, commitsItem: order.changesKeys && answer.status == .success,
      ends: order == .quit)
  }

  /// Nothing follows an answer.
  package func finish() {}

  /// Closes the database, as at an orderly end.
  package func stop() {
    database = nil
  }
}
