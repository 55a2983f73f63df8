import Device
import Phone
import Ports

// MARK: - The halves

extension Linter {
  mutating func reportHalves() {
    for apart in halves.stretches where apart.lastOperation ?? .max > since {
      report.add(Self.window(apart))
    }
    reportLoneHalves()
  }

  private static func window(_ apart: HalvesHistory.Apart) -> LintWindow {
    let start = "\(apart.start.rawValue) (\(apart.start.words))"
    let end = apart.end.map { "\(start) to \($0.rawValue) (\($0.words))" }
    var window = LintWindow(
      .halvesApart, at: end ?? "from \(start) on", detail: detail(of: apart),
      leaves: apart.keyIsNew
        ? "the new key with the old blob, or with none: nothing opens it"
        : "the new blob with the old key, or with none: nothing opens it")
    window.command = "lab inject kill@\(apart.start.rawValue)"
    window.first = apart.startMoment.operation
    window.last = apart.lastOperation
    window.milliseconds = apart.endMoment.map {
      Int(($0.timeNs - apart.startMoment.timeNs) / 1_000_000)
    }
    return window
  }

  private static func detail(of apart: HalvesHistory.Apart) -> String {
    guard apart.end != nil else {
      let since = apart.cutAfter == nil ? ", and the halves are apart still" : restarted
      return "the save was not finished\(since)"
    }
    let names = apart.losing.reduce(into: [String]()) { names, point in
      if !names.contains(point.rawValue) { names.append(point.rawValue) }
    }
    return "a kill at \(names.joined(separator: ", ")) leaves halves of different saves"
  }

  private static let restarted = "; then a power cut or a reset"

  /// The lengths of an AES key's text: hexadecimal digits of 128, 192 or 256 bits.
  private static let keyTextBytes = [32, 48, 64]

  /// What is stored now and lacks its other half.
  ///
  /// A small secret that is no key, and a value that is no ciphertext, stand alone by right: only what
  /// has the form of a half of the published store is reported.
  private mutating func reportLoneHalves() {
    let keys = inventory.keys ?? []
    let keyNames = Set(keys.compactMap(\.name))
    let blobNames = Set(inventory.blobs.compactMap(\.name))
    for key in keys where Self.keyTextBytes.contains(key.bytes ?? 0) {
      guard let name = key.name, !blobNames.contains(name) else {
        continue
      }
      report.add(
        LintWindow(
          .halvesApart, at: "\(name), now", detail: "a key of \(key.bytes ?? 0) bytes, and no blob",
          leaves: "null at the next start, and a key that stays in the keychain"))
    }
    for blob in inventory.blobs {
      guard let name = blob.name else { continue }
      if blob.bytes == nil {
        report.add(
          LintWindow(
            .halvesApart, at: "\(name), now", detail: "the index names a file that is missing",
            leaves: "null at the next start"))
      } else if inventory.keys != nil, !keyNames.contains(name),
        isCiphertext(blob)
      {
        report.add(
          LintWindow(
            .halvesApart, at: "\(name), now", detail: "a ciphertext, and no key",
            leaves: "null at the next start, and a blob that nothing opens"))
      }
    }
  }

  private func isCiphertext(_ blob: Inventory.BlobItem) -> Bool {
    guard let file = blob.file.flatMap(device.live.resolve), let inode = device.live[file] else {
      return false
    }
    return inode.read(at: 0, count: inode.sizeBytes).allSatisfy(\.isHexadecimalDigit)
  }
}

// MARK: - Names

extension Linter {
  /// Names that were never synced, where the profile keeps no order.
  mutating func reportNames() {
    for index in unsyncedNames() {
      let span = history.spans[index]
      var window = LintWindow(
        .directoryNotSynced, at: "\(span.kind.rawValue) \(span.path)",
        detail: "its directory was never synced", leaves: Self.leaves(span))
      let trigger = "power-cut@\(span.kind.rawValue):\(span.path.lastName)"
      window.command = "lab inject \(trigger.quoted) --survivors none"
      window.bound(by: [span])
      report.add(window)
    }
  }

  /// The changes of names that no sync made durable, but for those that were taken back meanwhile.
  private func unsyncedNames() -> [Int] {
    var found: Set<Int> = []
    var latest: [String: Int] = [:]
    for (index, span) in history.spans.enumerated() {
      guard span.change.isName, span.start.operation > since,
        !domain(of: span.path).profile.namesInOrder
      else { continue }
      let former = latest[span.path].filter { former in
        history.spans[former].end.map { $0.operation >= span.start.operation } ?? true
      }
      latest[span.path] = index
      if let former, history.spans[former].change.isRemoval != span.change.isRemoval {
        found.remove(former)
        if span.change.isRemoval { continue }
      }
      if case .synced = span.end { continue }
      found.insert(index)
    }
    // A name that moved away is told of with the name that it got.
    let moved = Set(
      found.lazy.map { self.history.spans[$0] }.filter { !$0.change.isRemoval }
        .map(\.start.operation))
    return found.sorted().filter { index in
      let span = history.spans[index]
      return !span.change.isRemoval || !moved.contains(span.start.operation)
    }
  }

  private static func leaves(_ span: DurabilityHistory.Span) -> String {
    let name = span.path.lastName
    if let source = span.source {
      return "\(name) as it was before, or missing, and \(source.lastName) in its place"
    }
    return span.change.isRemoval ? "\(name) there again" : "no \(name), with all that it holds"
  }
}

// MARK: - Items

extension Linter {
  mutating func reportReuses() {
    for reuse in ciphertexts.reuses where reuse.second > since {
      guard let blob = inventory.blobs.first(where: { $0.file == reuse.path }),
        let name = blob.name, inventory.keys?.contains(where: { $0.name == name }) == true
      else { continue }
      var window = LintWindow(
        .keyReused, at: name, detail: "two saves begin with the same digits, and differ",
        leaves: "two texts under one keystream: whoever has both blobs needs no key")
      window.first = reuse.first
      window.last = reuse.second
      report.add(window)
    }
  }

  mutating func reportLimits() {
    for limit in ItemLimit.all {
      let items =
        switch limit.half {
        case .key: (inventory.keys ?? []).map { ($0.name ?? "an unreadable item", $0.bytes ?? 0) }
        case .blob: inventory.blobs.map { ($0.name ?? "a file without a name", $0.bytes ?? 0) }
        }
      let measured =
        limit.isTotal
        ? [("all items of the blob half", items.reduce(0) { $0 + $1.1 })] : items
      for (name, bytes) in measured where bytes > limit.reportedAbove {
        var window = LintWindow(
          .itemOverLimit, at: name,
          detail: "\(bytes) bytes, \(bytes > limit.bytes ? "over" : "near") \(limit.bytes)",
          leaves: limit.leaves)
        window.command = limit.command
        report.add(window)
      }
    }
  }
}

// MARK: - What is not known

extension Linter {
  mutating func noteWhatIsUnknown() {
    if let first = device.log.first?.number.number, first > since + 1 {
      report.notJudged.append("operations before \(first): they are no longer in the log")
    }
    guard report.operations != nil else { return }
    if report.saveCount == 0 {
      report.notJudged.append(
        "unsynced-at-acknowledgement, key-reused: no save was acknowledged (point S1)")
    } else if history.spans.isEmpty {
      report.notJudged.append(
        "key-reused: all was durable at once, and the log has no content then")
    }
    if halves.reached.isDisjoint(with: [.keyWritten, .blobWritten, .manifestWritten]) {
      report.notJudged.append(
        "halves-apart between two operations: no half was announced (points K1, B1)")
    }
    if inventory.keys == nil {
      report.notJudged.append("what the key half holds now: its service does not answer")
    }
  }
}

extension LoggedChange {
  fileprivate var isName: Bool {
    switch self {
    case .addEntry, .removeEntry: true
    case .data, .size, .hole, .attributes, .extendedAttribute: false
    }
  }

  fileprivate var isRemoval: Bool {
    if case .removeEntry = self { true } else { false }
  }
}

extension Optional {
  fileprivate func filter(_ isWanted: (Wrapped) -> Bool) -> Wrapped? {
    flatMap { isWanted($0) ? $0 : nil }
  }
}

extension String {
  /// As one word of a shell's line.
  fileprivate var quoted: String {
    let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "@:._-/".contains($0)) }
    return isPlain ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}
