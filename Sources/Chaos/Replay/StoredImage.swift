import Crypto
package import Device

/// What a phone has stored at one moment, file by file: what is live, and what would be there if the
/// power went and nothing volatile survived. Times, owners and permissions do not count.
package struct StoredImage: Equatable, Sendable {
  /// When, in words.
  package let moment: String
  /// By path.
  package let live: [String: StoredFile]
  package let durable: [String: StoredFile]

  init(_ moment: String, of device: StorageDevice) throws(CryptoError) {
    self.moment = moment
    live = try Self.files(of: device.live)
    durable = try Self.files(of: device.durable)
  }

  private static func files(of volume: Volume) throws(CryptoError) -> [String: StoredFile] {
    var files: [String: StoredFile] = [:]
    var rest: [(path: String, inode: InodeID)] = [("", .root)]
    while let (path, id) = rest.popLast() {
      guard let inode = volume[id] else { continue }
      files[path] = try StoredFile(inode)
      rest += volume.list(id).map { ("\(path)/\($0.name)", $0.inode) }
    }
    return files
  }
}

/// A file, directory or link as an image shows it.
package struct StoredFile: Equatable, Sendable {
  package let kind: Inode.Kind
  package let sizeBytes: Int
  /// Tells its bytes from others.
  package let content: UInt64

  init(_ inode: Inode) throws(CryptoError) {
    kind = inode.kind
    sizeBytes = inode.sizeBytes
    var bytes = inode.read(at: 0, count: inode.sizeBytes) + inode.target
    for (name, value) in inode.extendedAttributes.sorted(by: { $0.key < $1.key }) {
      bytes += [0] + Array(name.utf8) + [0] + value
    }
    content = try contentDigest(bytes)
  }
}

extension StoredFile: CustomStringConvertible {
  package var description: String {
    "\(kind), \(sizeBytes) bytes, content \(String(content, radix: 16))"
  }
}
