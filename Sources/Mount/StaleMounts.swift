import Linux

/// Mounts of the lab's whose process is gone.
package enum StaleMounts {
  /// Their folders, as the kernel lists them.
  package static func list() -> [String] {
    guard let table = try? Files.read("/proc/self/mountinfo") else { return [] }
    return String(decoding: table, as: UTF8.self).split(separator: "\n").compactMap { line in
      // `36 35 0:40 / /home/me/my-phone rw,nosuid - fuse.lab lab rw`
      let fields = line.split(separator: " ")
      guard fields.count > 4, fields.contains("fuse.lab") else { return nil }
      let path = plain(fields[4])
      return Files.isDisconnected(path) ? path : nil
    }
  }

  /// A path without the octal numbers by which the kernel writes blanks and backslashes.
  private static func plain(_ path: Substring) -> String {
    let parts = path.split(separator: "\\", omittingEmptySubsequences: false)
    let bytes = parts.dropFirst().flatMap { part -> [UInt8] in
      (UInt8(part.prefix(3), radix: 8).map { [$0] } ?? Array(part.prefix(3).utf8))
        + Array(part.dropFirst(3).utf8)
    }
    return String(decoding: Array((parts.first ?? "").utf8) + bytes, as: UTF8.self)
  }
}
