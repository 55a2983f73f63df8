import Session

/// What somebody has seen who had the app read the session, and what was stored before and after.
struct Sighting {
  let reply: AppReply
  /// What was taken away meanwhile.
  var losses: Loss = []
  /// Whether a fault hit the app.
  var isDisturbed = false
  let before: HalvesView
  let after: HalvesView
}

extension Oracle {
  /// Judges a reading as ``CasePlayer`` does that sees it.
  mutating func judge(_ sighting: Sighting) -> [Judgement] {
    note(sighting.losses)
    let answer = AppAnswer(sighting.reply)
    let read = launch(
      answer, before: sighting.before, after: sighting.after, isDisturbed: sighting.isDisturbed)
    guard case .result(let result) = sighting.reply else { return read }
    return Self.storm(serviceCallCount: result.serviceCallCount) + read
  }
}
