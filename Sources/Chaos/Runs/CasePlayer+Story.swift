import Device
import Linux
import Machine
import Phone

/// What a case tells: a row for each step, and what was done to the storage behind it.
extension CasePlayer {
  func tell(
    _ text: String, _ reply: AppReply, _ halves: HalvesView, _ fault: FaultRequest?
  ) {
    let sees = AppAnswer(reply).sight
    let killed = reply == .killed
    defer { tellItems(halves) }
    guard killed || fault != nil else { return append(text, halves, sees: sees, isFault: false) }
    let words = fault?.description ?? "a fault"
    append(
      killed ? "\(text): KILLED (\(words))" : "\(text): \(words)", halves, sees: sees,
      isFault: true)
  }

  func tell(_ text: String, isFault: Bool) throws(PhoneHostError) {
    append(text, try host.halves(of: launch.item), sees: nil, isFault: isFault)
  }

  /// Under which names a program keeps its halves, as soon as that is known.
  private func tellItems(_ halves: HalvesView) {
    guard launch.foreign != nil else { return }
    let written = host.state.withLock { $0.items.written }
    for half in Half.allCases {
      let names = (written[half] ?? []).filter { $0 != launch.item }
      guard !names.isEmpty, names != toldItems[half] else { continue }
      toldItems[half] = names
      append("\(half.rawValue) half: \(Self.list(names))", halves, sees: nil, isFault: false)
    }
  }

  /// So many names as a row has room for. A program may make a name of what nobody should see.
  private static func list(_ names: [String]) -> String {
    var shown: [String] = []
    for name in names.map({ SecretSpelling($0).shown(upTo: nameMax) }) {
      guard shown.joined().count + name.count <= nameMax || shown.isEmpty else { break }
      shown.append(name)
    }
    let left = names.count - shown.count
    return shown.joined(separator: ", ") + (left > 0 ? " and \(left) more" : "")
  }

  private static let nameMax = 44

  private func append(_ text: String, _ halves: HalvesView, sees: String?, isFault: Bool) {
    let (volatile, count) = host.withDevice { ($0.volatileDomains, $0.operationCount) }
    let isFailure = judgements.dropFirst(toldJudgementCount).contains(where: \.verdict.isFailure)
    toldJudgementCount = judgements.count
    rowEnds.append(count)
    story.append(
      StoryRow(
        text: text, key: halves.key, blob: halves.blob,
        keyIsDurable: volatile.isDisjoint(with: host.domains(of: .key)),
        blobIsDurable: volatile.isDisjoint(with: host.domains(of: .blob)), sees: sees,
        isFault: isFault, isFailure: isFailure,
        keyPeek: StoryRow.Peek(digests: halves.key, bytes: halves.keyBytes),
        blobPeek: StoryRow.Peek(digests: halves.blob, bytes: halves.blobBytes)))
  }

  /// What was done to the storage, for the story.
  var operations: [StoryOperation] {
    StoryOperation.all(
      in: host.withDevice { $0.log }, rowEnds: rowEnds, keyDomains: host.domains(of: .key),
      blobDomains: host.domains(of: .blob))
  }
}
