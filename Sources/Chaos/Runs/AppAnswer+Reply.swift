import Session

extension AppAnswer {
  init(_ reply: AppReply) {
    switch reply {
    case .result(let result): self.init(result.outcome)
    case .killed: self = .killed
    case .ended(let how): self = .ended(how)
    case .noAnswer: self = .noAnswer
    }
  }

  /// A call of an overlap: a refresh that finds no session has read.
  init(call outcome: AppResult.Outcome) {
    if case .rejected(AppFailure.sessionMissing?, _) = outcome {
      self = .absent
    } else {
      self.init(outcome)
    }
  }

  private init(_ outcome: AppResult.Outcome) {
    switch outcome {
    case .session(let identity):
      self = .session(
        user: identity.user ?? "", generation: identity.generation ?? 0,
        fingerprint: identity.textDigest)
    case .absent: self = .absent
    case .garbage: self = .garbage
    case .rejected(_, let message): self = .rejected(message)
    case .hung, .adapter: self = .noAnswer
    case .item, .saved, .removed, .signedOut, .told, .overlapped, .view: self = .done
    }
  }
}
