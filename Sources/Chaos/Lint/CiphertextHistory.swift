import Device

/// Follows the content of files: which saves put a ciphertext where another one was that began alike.
///
/// With one key and one counter two session texts, which begin with the same member, begin alike as
/// ciphertexts; with a fresh key or nonce they do not. Only texts in hexadecimal digits are judged,
/// the form of the published store: others may begin with a header.
struct CiphertextHistory {
  /// Two saves under one path.
  struct Reuse: Equatable {
    let path: String
    let first: Int
    let second: Int
  }

  /// One write after another, as the log tells them.
  private typealias Content = [Piece]

  private struct Piece: Equatable {
    let offset: Int
    let bytes: LoggedBytes
  }

  private struct Saved {
    let operation: Int
    let content: Content
  }

  private var contents: [InodeID: Content] = [:]
  private var saves: [String: [UInt64: Saved]] = [:]
  private(set) var reuses: [Reuse] = []

  mutating func follow(_ record: OperationRecord) {
    for change in record.pending {
      switch change {
      case .data(let file, let page, let offset, let bytes):
        contents[file, default: []].append(
          Piece(offset: page * Inode.pageBytes + offset, bytes: bytes))
      case .size(let file, _, to: 0): contents[file] = nil
      case .size, .hole, .addEntry, .removeEntry, .attributes, .extendedAttribute: break
      }
    }
  }

  /// A save was acknowledged; `files` is what has a name now.
  mutating func acknowledge(_ files: [String: InodeID], at operation: Int) {
    for (path, file) in files.sorted(by: { $0.key < $1.key }) {
      guard let content = contents[file], let beginning = Self.beginning(of: content) else {
        continue
      }
      if let former = saves[path]?[beginning], former.content != content {
        reuses.append(Reuse(path: path, first: former.operation, second: operation))
      }
      saves[path, default: [:]][beginning] = Saved(operation: operation, content: content)
    }
  }

  private static func beginning(of content: Content) -> UInt64? {
    content.last { $0.offset == 0 }?.bytes.print?.beginning
  }
}
