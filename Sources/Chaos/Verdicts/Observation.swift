import Phone

/// What one command of the app answered.
package enum AppAnswer: Equatable, Sendable {
  /// The store gave a text that is a session.
  case session(user: String, generation: Int, fingerprint: String)
  case absent
  /// The store gave a text that is no session; the client takes it for none.
  case garbage
  case rejected(String)
  case done
  /// The process ended by a fault.
  case killed
  /// The process ended by itself.
  case ended(String)
  case noAnswer

  /// What somebody with the app in their hand sees of it; `nil` when there is nothing to see.
  var sight: String? {
    switch self {
    case .session(_, let generation, _): "the session, generation \(generation)"
    case .absent, .garbage: "no session"
    case .rejected(let reason): "an error: \(reason)"
    case .ended(let how): "ended by itself: \(how)"
    case .noAnswer: "no answer"
    case .done, .killed: nil
    }
  }
}

/// What is stored for the session's name, as far as an oracle needs it. No secrets, but digests
/// that tell values apart; they stay inside the run.
package struct HalvesView: Equatable, Sendable {
  /// The item on the key side.
  package var key: String?
  /// The item on the blob side.
  package var blob: String?
  /// How long what is stored there is; `nil` for nothing, and for what cannot be read.
  package var keyBytes: Int?
  package var blobBytes: Int?
  /// Files that no key and no manifest leads to, but that may hold a blob.
  package var orphanCount = 0
  /// Whether a blob is stored that is too long for the phone to read.
  package var isUnreadablyLong = false
  /// The names of what else the app keeps on the key side; `nil` when that cannot be seen.
  package var secrets: Set<String>?
  /// Whether a token stands in the clear in any file.
  package var showsToken = false

  package init(key: String?, blob: String?) {
    self.key = key
    self.blob = blob
  }

  package var isEmpty: Bool { key == nil && blob == nil }

  var present: Set<Half> { Set((key == nil ? [] : [.key]) + (blob == nil ? [] : [.blob])) }
}

/// What a fault took away from the user for good, so that a missing session is not the app's fault.
package struct Loss: OptionSet, Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// The key half is gone, or unreadable for ever.
  package static let key = Loss(rawValue: 1)
  /// The blob half is gone.
  package static let blob = Loss(rawValue: 2)
  /// What is stored may be older than what was acknowledged: a power cut, or a restored backup.
  package static let recency = Loss(rawValue: 4)
  /// The app was removed; a session that it shows afterwards is a ghost.
  package static let app = Loss(rawValue: 8)
  /// A backup has put something older in the place of a half; always beside ``recency``.
  package static let backup = Loss(rawValue: 16)
}
