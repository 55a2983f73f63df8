import Crypto
package import Device

/// A call to a phone's storage that counts for what a crash may leave, in words that both tiers share.
///
/// What does not count, and why:
/// - reads, look-ups, listings and opens: a kernel answers many of them from its caches;
/// - what connections write into the index of a WAL (`-shm`): it stays in memory that they share, on
///   both tiers. Its name and length are those of any file.
package struct StorageCall: Equatable, Sendable {
  package let kind: OperationKind
  package let path: String
  /// Where a rename or link leads, or which point was reached.
  package let target: String?
  package let offset: Int?
  package let length: Int?
  /// Tells the bytes of a write from others; `nil` when nothing was applied.
  package let content: UInt64?
  package let error: DeviceError?
  /// The fault that hit it, by the word of the catalogue.
  package let fault: String?
  /// Whether a service of the phone made it, and not the app.
  package let isOfService: Bool
}

extension StorageCall {
  /// The call behind an operation; `nil` for one that does not count.
  ///
  /// - Parameters:
  ///   - record: The operation, from the log.
  ///   - request: What it brought, from the recording; `nil` when nothing was applied.
  ///   - services: The processes of the operating system.
  /// - Throws: `CryptoError` when the library lacks the digest.
  init?(
    _ record: OperationRecord, _ request: Request?, services: Set<ProcessNumber>
  ) throws(CryptoError) {
    switch record.kind {
    case .lookUp, .attributes, .open, .read, .list: return nil
    case .create, .makeDirectory, .symbolicLink, .link, .unlink, .removeDirectory, .rename, .write,
      .truncate, .setAttributes, .allocate, .setExtendedAttribute, .sync, .syncDirectory, .point:
      break
    }
    kind = record.kind
    path = record.path
    target = record.target
    offset = record.offset
    length = record.length
    content = try request?.content.map(contentDigest)
    error = record.error
    fault = record.fault
    isOfService = services.contains(record.process)
  }

  /// The files whose history it belongs to.
  var files: [String] {
    guard kind == .rename || kind == .link, let target else { return [path] }
    return [path, target]
  }
}

extension StorageCall: CustomStringConvertible {
  package var description: String {
    var words = [kind.rawValue]
    if let length { words.append("\(length) bytes") }
    if let offset { words.append("at \(offset)") }
    if let target { words.append(kind == .point ? target : "\(path) to \(target)") }
    if let content { words.append("content \(String(content, radix: 16))") }
    if let error { words.append("answered \(error)") }
    if let fault { words.append("hit by \(fault)") }
    return words.joined(separator: " ") + (isOfService ? ", by the service" : ", by the app")
  }
}

extension Request {
  /// The bytes that a change brings.
  fileprivate var content: [UInt8]? {
    switch self {
    case .write(_, _, let bytes): bytes
    case .setExtendedAttribute(_, let name, let value, _): Array(name.utf8) + value
    case .symbolicLink(_, _, let target, _): target
    default: nil
    }
  }
}

/// The first eight bytes of the SHA-256.
func contentDigest(_ bytes: [UInt8]) throws(CryptoError) -> UInt64 {
  try sha256(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
}
