package import Ports

/// Long texts in a secure storage whose items are short.
///
/// Better Auth's client has no words for a failed write: it prints one line and goes on, so whoever
/// must know reads back. What a write that fails or is cut off leaves behind depends on the layout.
package final class ChunkedStorage {
  package enum Layout: Equatable, Sendable {
    /// Before 1.6.13: one item, however long.
    case single
    /// Since 1.6.13: the base item is emptied, chunks are written over the old ones, and a marker in
    /// the base item ends the write. Cut off, the value is gone; chunks of a longer value stay.
    case chunks
    /// Ours: chunks go under names that are free, the marker switches to them, then the old ones are
    /// removed. Cut off, the value is the old one or the new one.
    case alternating
  }

  /// In code units of UTF-16, as JavaScript counts; in our layout of UTF-8.
  package static let chunkUnits = 1800

  private let secure: any SecureStorage
  private let layout: Layout
  private let console: any Console

  package init(_ secure: any SecureStorage, _ layout: Layout, console: any Console) {
    self.secure = secure
    self.layout = layout
    self.console = console
  }

  /// The name under which a value lies: Expo's secure store takes no colons.
  package static func itemName(_ name: String) -> String {
    String(name.map { $0 == ":" ? "_" : $0 })
  }

  /// The text, or `nil` when there is none, or a chunk of it is missing.
  package func item(_ name: String) async throws(NativeError) -> String? {
    let base = Self.itemName(name)
    let stored = try await secure.item(base)
    guard layout != .single, let stored, let marker = Marker.found(in: stored) else {
      return stored
    }
    guard let marker else { return nil }
    var text = ""
    for index in 0..<marker.count {
      guard let chunk = try await secure.item(marker.chunkName(base, index)) else { return nil }
      text += chunk
    }
    return text
  }

  /// Stores a text. A failure is printed and swallowed.
  package func setItem(_ name: String, to text: String) async {
    let base = Self.itemName(name)
    do throws(NativeError) {
      switch layout {
      case .single: try await secure.setItem(base, to: text)
      case .chunks: try await overwrite(base, text)
      case .alternating: try await alternate(base, text)
      }
    } catch {
      console.error("[better-auth/expo] failed to persist \"\(base)\" to storage \(error)")
    }
  }

  /// Removes the value: the base item, and the chunks only in a layout of ours. Those that another
  /// leaves behind hold tokens.
  package func removeItem(_ name: String) async throws(NativeError) {
    let base = Self.itemName(name)
    try await secure.removeItem(base)
    if layout == .alternating { try await sweep(base, keeping: nil) }
  }

  /// Puts a value back that was read before; `nil` for none.
  func restore(_ name: String, to text: String?) async {
    if let text { return await setItem(name, to: text) }
    do throws(NativeError) {
      try await secure.removeItem(Self.itemName(name))
    } catch {
      console.error("failed to remove \"\(Self.itemName(name))\" from storage \(error)")
    }
  }

  private func overwrite(_ base: String, _ text: String) async throws(NativeError) {
    let units = Array(text.utf16)
    guard units.count > Self.chunkUnits else { return try await secure.setItem(base, to: text) }
    try await secure.setItem(base, to: "")
    let starts = Array(stride(from: 0, to: units.count, by: Self.chunkUnits))
    let marker = Marker(series: "", count: starts.count)
    for (index, start) in starts.enumerated() {
      // Half of a surrogate pair does not survive the way into a native module.
      let chunk = units[start..<min(start + Self.chunkUnits, units.count)]
      let text = String(decoding: chunk, as: UTF16.self)
      try await secure.setItem(marker.chunkName(base, index), to: text)
    }
    try await secure.setItem(base, to: marker.text)
  }
}

// MARK: - The layout that survives a cut

extension ChunkedStorage {
  private func alternate(_ base: String, _ text: String) async throws(NativeError) {
    let current = try await secure.item(base).flatMap(Marker.found(in:)) ?? nil
    guard text.utf8.count > Self.chunkUnits else {
      try await secure.setItem(base, to: text)
      return try await sweep(base, keeping: nil)
    }
    let chunks = Self.chunks(of: text)
    let marker = Marker(series: current?.series == "a." ? "b." : "a.", count: chunks.count)
    for (index, chunk) in chunks.enumerated() {
      try await secure.setItem(marker.chunkName(base, index), to: chunk)
    }
    try await secure.setItem(base, to: marker.text)
    try await sweep(base, keeping: marker)
  }

  /// Removes all chunks that do not belong to the value, from its end on: what an earlier cut left
  /// has no gap in front of it then.
  private func sweep(_ base: String, keeping marker: Marker?) async throws(NativeError) {
    for series in ["", "a.", "b."] {
      let names = Marker(series: series, count: 0)
      var count = series == marker?.series ? marker?.count ?? 0 : 0
      let first = count
      while try await secure.item(names.chunkName(base, count)) != nil { count += 1 }
      for index in (first..<count).reversed() {
        try await secure.removeItem(names.chunkName(base, index))
      }
    }
  }

  /// Pieces of at most ``chunkUnits`` bytes, for bytes are what the keychain's promise counts, that no
  /// character is cut by.
  private static func chunks(of text: String) -> [String] {
    var chunks: [String] = []
    var chunk = ""
    var count = 0
    for scalar in text.unicodeScalars {
      let width = UTF8.width(scalar)
      if count + width > chunkUnits {
        chunks.append(chunk)
        chunk = ""
        count = 0
      }
      chunk.unicodeScalars.append(scalar)
      count += width
    }
    return chunks + [chunk]
  }
}

/// The text of a base item that says where the chunks are.
private struct Marker {
  /// Empty for the names of Better Auth, `a.` or `b.` for ours.
  var series: String
  var count: Int

  private static let start = "\u{1}ba-chunks:"
  private static let ownStart = "\u{1}lab-chunks:"

  init(series: String, count: Int) {
    self.series = series
    self.count = count
  }

  var text: String { (series.isEmpty ? Self.start : Self.ownStart) + "\(series)\(count)" }

  func chunkName(_ base: String, _ index: Int) -> String { "\(base).\(series)\(index)" }

  /// The marker in an item: `nil` for an item that is a value itself, an inner `nil` for a marker
  /// that leads nowhere.
  static func found(in stored: String) -> Marker?? {
    for (start, all) in [(start, [""]), (ownStart, ["a.", "b."])] where stored.hasPrefix(start) {
      let rest = stored.dropFirst(start.count)
      guard let series = all.first(where: { rest.hasPrefix($0) }),
        let count = String(rest.dropFirst(series.count)).wholeNumber, count >= 1
      else { return .some(nil) }
      return Marker(series: series, count: count)
    }
    return nil
  }
}
