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
  }

  package struct BlobItem: Equatable, Sendable {
    /// The name that the app stored it under; `nil` for a file that no manifest names.
    package var name: String?
    /// The path of the value's own file; `nil` for a value inside the manifest.
    package var file: String?
    /// `nil` when the file is missing.
    package var bytes: Int?
    package var digest: String?
  }

  /// The state of the index of the blob half.
  package enum Index: Equatable, Sendable {
    case missing
    case sound(bytes: Int)
    /// Replaced by an empty one at the next launch.
    case unparsable(bytes: Int)
    /// Not UTF-8, or not readable: every call fails until it is repaired.
    case unreadable
  }

  /// `nil` when the service did not answer.
  package var keys: [KeyItem]?
  package var blobs: [BlobItem]
  package var index: Index

  package init(keys: [KeyItem]?, blobs: [BlobItem], index: Index) {
    self.keys = keys
    self.blobs = blobs
    self.index = index
  }
}
