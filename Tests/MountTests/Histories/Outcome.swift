import Glibc

/// What a call answers, as far as it must be the same on every file system.
struct Outcome: Equatable, Sendable {
  /// 0 for a success.
  var error: Int32 = 0
  var values: [Int] = []
  /// Names of a folder, or where a link points.
  var names: [String] = []
  var content = Content()

  /// Bytes that compare as fast as C does in a debug build, too.
  struct Content: Equatable, Sendable {
    var bytes: [UInt8] = []

    static func == (left: Content, right: Content) -> Bool {
      guard left.bytes.count == right.bytes.count, !left.bytes.isEmpty else {
        return left.bytes.count == right.bytes.count
      }
      return unsafe memcmp(left.bytes, right.bytes, left.bytes.count) == 0
    }
  }
}

extension Outcome: CustomStringConvertible {
  var description: String {
    if error != 0 { return unsafe String(cString: strerror(error)) }
    var words = values.map(String.init) + names
    if !content.bytes.isEmpty {
      let start = content.bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: " ")
      words.append("[\(start) …] sum \(content.bytes.reduce(0) { $0 &* 31 &+ Int($1) })")
    }
    return words.isEmpty ? "done" : words.joined(separator: " ")
  }
}
