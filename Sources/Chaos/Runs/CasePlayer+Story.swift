import Device
import Linux
import Machine
import Phone
import Session

/// What a case tells: a row for each step, and what was done to the storage behind it.
extension CasePlayer {
  func tell(
    _ text: String, _ reply: AppReply, _ halves: HalvesView, _ fault: FaultRequest?
  ) {
    let sees = AppAnswer(reply).sight
    let killed = reply == .killed
    defer { tellItems(halves) }
    guard killed || fault != nil else { return append(text, halves, sees: sees, isFault: false) }
    let words = fault.map { "\($0)" + refusal(by: $0) } ?? "a fault"
    append(
      killed ? "\(text): KILLED (\(words))" : "\(text): \(words)", halves, sees: sees,
      isFault: true)
  }

  func tell(_ text: String, isFault: Bool) throws(PhoneHostError) {
    append(text, try host.halves(of: launch.item), sees: nil, isFault: isFault)
  }

  /// Which call a fault has refused, and how: ` (fsync keychain-2.db-wal: EIO)`.
  private func refusal(by fault: FaultRequest) -> String {
    let hit = host.withDevice { $0.log }.first { record in
      record.number.number > stepStart && record.fault == fault.kind.rawValue
    }
    guard let hit, let error = hit.error else { return "" }
    let file = hit.path.split(separator: "/").last ?? "/"
    return " (\(hit.kind.rawValue) \(file): \(error.symbol))"
  }

  /// Which of the calls that waited went on, at each place where several did. The calls of a program
  /// are its own; of the lab's stores the history says it.
  func order(of overlap: Overlap) -> String {
    let made = host.state.withLock { $0.items.order.map(\.choice) }
    var order = launch.foreign == nil ? overlap.order : made
    while order.last == 0 { order.removeLast() }
    guard !order.isEmpty else { return "the one that waits longest first" }
    return "in the order \(Overlap.text(of: order)) (0: the one that waits longest)"
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
      story[story.count - 1].isRemark = true
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
    let (key, blob) = host.told(halves)
    let isFailure = judgements.dropFirst(toldJudgementCount).contains(where: \.verdict.isFailure)
    toldJudgementCount = judgements.count
    rowEnds.append(host.withDevice { $0.operationCount })
    story.append(
      StoryRow(
        text: text, key: key, blob: blob, sees: sees, isFault: isFault, isFailure: isFailure))
  }

  /// What was done to the storage, for the story.
  var operations: [StoryOperation] {
    StoryOperation.all(
      in: host.withDevice { $0.log }, rowEnds: rowEnds, keyDomains: host.domains(of: .key),
      blobDomains: host.domains(of: .blob))
  }
}

extension HostedPhone {
  /// What a story tells of both halves.
  ///
  /// - Parameter halves: A look at them, at this phone or at a copy of it.
  /// - Returns: The same, and whether this phone would keep it over a power cut.
  func told(_ halves: HalvesView) -> (key: StoryHalf, blob: StoryHalf) {
    let volatile = withDevice { $0.volatileDomains }
    func half(_ half: Half, _ digest: String?, _ bytes: Int?) -> StoryHalf {
      StoryHalf(
        digest: digest, isDurable: volatile.isDisjoint(with: domains(of: half)),
        peek: StoryHalf.Peek(digests: digest, bytes: bytes))
    }
    return (half(.key, halves.key, halves.keyBytes), half(.blob, halves.blob, halves.blobBytes))
  }
}
