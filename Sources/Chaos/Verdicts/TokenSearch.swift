import Device
import JSON
import Session

/// Looks for tokens that must not stand in the clear.
///
/// Remembers which contents hold one, by their hashes: the images of an exploration share most of
/// their files.
final class TokenSearch {
  private struct Issued: Hashable {
    let user: String
    let generation: Int
    let issuedAtMs: Int64
    let size: SessionText.Size
  }

  private var tokens: [Issued: [UInt8]] = [:]
  /// By token, whether a content holds it.
  private var known: [[UInt8]: [UInt128: Bool]] = [:]
  private static let knownMax = 1 << 14

  /// The refresh token of the session that an app saves; `nil` before the first generation.
  func token(of launch: AppLaunch, generation: Int, issuedAtMs: Int64) -> [UInt8]? {
    guard generation > 0 else { return nil }
    let size = SessionText.Size(rawValue: launch.settings[ScenarioSettings.size])
    return token(
      of: launch.user, generation: generation, issuedAtMs: issuedAtMs, size ?? .standard)
  }

  /// The refresh token of a session; `nil` when it cannot be made.
  func token(
    of user: String, generation: Int, issuedAtMs: Int64, _ size: SessionText.Size
  ) -> [UInt8]? {
    let issued = Issued(user: user, generation: generation, issuedAtMs: issuedAtMs, size: size)
    if let token = tokens[issued] { return token }
    guard
      let text = try? SessionText.make(
        user: user, generation: generation, issuedAtMs: issuedAtMs, size: size),
      let fields = try? JSONReader.read(text), let token = fields["refresh_token"]?.value.text
    else { return nil }
    if tokens.count >= Self.knownMax { tokens = [:] }
    tokens[issued] = Array(token.utf8)
    return tokens[issued]
  }

  /// Whether any file holds a token.
  ///
  /// - Complexity: O(*n*) for the bytes of files that it has not seen, and of those whose hash the
  ///   volume does not know.
  func finds(_ token: [UInt8], in volume: Volume) -> Bool {
    var contents = known.removeValue(forKey: token) ?? [:]
    if contents.count >= Self.knownMax { contents = [:] }
    defer { known[token] = contents }
    for (id, inode) in volume.inodes {
      guard let content = volume.contentHash(of: id) else { continue }
      let holds = contents[content] ?? inode.holds(token)
      contents[content] = holds
      if holds { return true }
    }
    return false
  }
}

extension Inode {
  /// Whether a file holds these bytes, within one page or across two.
  ///
  /// - Complexity: O(*n*) for its bytes.
  fileprivate func holds(_ needle: [UInt8]) -> Bool {
    guard let first = needle.first else { return false }
    let bytes = read(at: 0, count: sizeBytes)
    var start = bytes.startIndex
    while let hit = bytes[start...].firstIndex(of: first) {
      if bytes[hit...].starts(with: needle) { return true }
      start = hit + 1
    }
    return false
  }
}

extension Volume {
  /// Whether any file holds these bytes, within one page or across two.
  ///
  /// - Complexity: O(*n*) for all bytes stored.
  package func holds(_ needle: [UInt8]) -> Bool {
    inodes.values.contains { $0.kind == .file && $0.holds(needle) }
  }
}
