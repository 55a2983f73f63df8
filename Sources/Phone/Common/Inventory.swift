/// What each half of the phone's storage holds: names, sizes, and digests that tell values apart.
///
/// For oracles, and for reports that cut the digests short.
package struct Inventory: Equatable, Sendable {
  package struct KeyItem: Equatable, Sendable {
    /// The name that the app stored it under; `nil` when that cannot be decrypted. A key of
    /// Android's keystore bears its alias, which no app can give to an item: it holds a `/`.
    package var name: String?
    /// What the phone stores it as: on iOS service and accessibility, on Android the file.
    package var detail: String
    /// `nil` when the value cannot be decrypted.
    package var bytes: Int?
    /// The first 16 hexadecimal digits of the value's SHA-256.
    package var digest: String?

    package init(name: String?, detail: String, bytes: Int?, digest: String? = nil) {
      self.name = name
      self.detail = detail
      self.bytes = bytes
      self.digest = digest
    }
  }

  package struct BlobItem: Equatable, Sendable {
    /// The name that the app stored it under; `nil` for a file that no manifest names.
    package var name: String?
    /// The path of the value's own file, or of the database that holds it; `nil` for a value inside
    /// the manifest.
    package var file: String?
    /// `nil` when the file is missing.
    package var bytes: Int?
    package var digest: String?

    package init(name: String?, file: String?, bytes: Int?, digest: String? = nil) {
      self.name = name
      self.file = file
      self.bytes = bytes
      self.digest = digest
    }
  }

  /// What leads to the values of the blob half: a manifest, or a database that holds them itself.
  package struct Index: Equatable, Sendable {
    /// The name of its file.
    package var name: String
    package var state: State

    package enum State: Equatable, Sendable {
      case missing
      case sound(bytes: Int)
      /// A manifest that is replaced by an empty one at the next launch.
      case unparsable(bytes: Int)
      /// Not UTF-8, or not readable: every call fails until it is repaired.
      case unreadable
      /// A database in which SQLite finds damage.
      case damaged(bytes: Int)
    }

    package init(name: String, state: State) {
      self.name = name
      self.state = state
    }
  }

  /// `nil` when the service did not answer.
  package var keys: [KeyItem]?
  /// Two databases may hold an item of one name; the one that the app uses comes first.
  package var blobs: [BlobItem]
  package var indexes: [Index]

  package init(keys: [KeyItem]?, blobs: [BlobItem], indexes: [Index]) {
    self.keys = keys
    self.blobs = blobs
    self.indexes = indexes
  }
}

extension Inventory.BlobItem {
  /// An item with the size and the digest of its value; `nil` is a value that is not there.
  init(name: String?, file: String?, value: [UInt8]?) {
    self.init(
      name: name, file: file, bytes: value?.count, digest: value.flatMap(Self.fingerprint))
  }

  private static func fingerprint(_ bytes: [UInt8]) -> String? {
    // What cannot be read shows as missing: an inventory is a report, and has no other answer.
    do { return try Fingerprint.of(bytes) } catch { return nil }
  }
}
