package import Device

/// One disturbance of a story, and where it falls.
package struct SessionFault: Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// The app's process ends.
    case kill
    /// The phone's power fails; what was not synced is lost, or survives.
    case powerCut = "power-cut"
    /// The person locks the phone, and unlocks it a minute later.
    case lock
    /// The phone's clock is set one hour ahead.
    case clock
    /// A request does not reach the server.
    case loseRequest = "lose-request"
    /// The server has done what it was asked for, and its reply is lost.
    case loseReply = "lose-reply"
    /// The server answers with status 429.
    case limit = "429"
    /// The server answers with status 500.
    case failure = "500"

    /// Whether it hits a request, not a step of the app.
    package var hitsRequest: Bool {
      switch self {
      case .kill, .powerCut, .lock, .clock: false
      case .loseRequest, .loseReply, .limit, .failure: true
      }
    }
  }

  package var kind: Kind
  /// Which step of the app, or which request, counted from 1 over the whole story.
  package var place: Int
  /// What outlives a power cut.
  package var survivors = Survivors.none

  package init(_ kind: Kind, at place: Int, survivors: Survivors = .none) {
    self.kind = kind
    self.place = place
    self.survivors = survivors
  }
}

extension SessionFault: CustomStringConvertible {
  /// As ``init(_:)`` reads it: `kill@74`, `power-cut@74:none`.
  package var description: String {
    let words = "\(kind.rawValue)@\(place)"
    guard kind == .powerCut else { return words }
    switch survivors {
    case .none: return words + ":none"
    case .issued: return words + ":issued"
    case .all: return words + ":all"
    case .seeded(let seed): return words + ":seed:\(seed)"
    case .kept, .perDomain, .torn, .partial:
      preconditionFailure("no fault of a story leaves this")
    }
  }

  /// Reads the short form.
  package init?(_ text: String) {
    let parts = text.split(separator: "@", maxSplits: 1).map(String.init)
    guard parts.count == 2, let kind = Kind(rawValue: parts[0]) else { return nil }
    let words = parts[1].split(separator: ":", maxSplits: 1).map(String.init)
    guard let place = words.first.flatMap({ Int($0) }), place > 0 else { return nil }
    var survivors = Survivors.none
    switch (kind, words.dropFirst().first) {
    case (_, nil): break
    case (.powerCut, "none"): break
    case (.powerCut, "issued"): survivors = .issued
    case (.powerCut, "all"): survivors = .all
    case (.powerCut, let word?):
      guard word.hasPrefix("seed:"), let seed = UInt64(word.dropFirst(5)) else { return nil }
      survivors = .seeded(seed)
    default: return nil
    }
    self.init(kind, at: place, survivors: survivors)
  }
}
