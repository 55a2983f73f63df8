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
