import Ports

extension Exploration {
  /// Files a failure with those that are alike; the first of them gives the replay.
  mutating func noteFailure(
    in judgements: [Judgement], _ disturbance: Disturbance, in history: ExploredHistory,
    at place: (step: Int, operation: Int?), goesOn: Bool = false, point: LogicalPoint?,
    depth: Int = 1, image: Int
  ) {
    guard let worst = judgements.first(where: \.verdict.isFailure) else { return }
    let index = causes.firstIndex { cause in
      cause.failure == worst.verdict && cause.point == point && cause.kind == disturbance.kind
        && cause.depth == depth
    }
    if let index {
      causes[index].occurrenceCount += 1
      causes[index].images.insert(image)
      return
    }
    let name = "\(worst.verdict.rawValue)-explore-\(plan.name)-\(causes.count + 1)"
    causes.append(
      Cause(
        failure: worst.verdict, point: point, kind: disturbance.kind, depth: depth,
        images: [image], because: worst.because,
        replay: history.replay(
          of: disturbance, at: place, goesOn: goesOn, name: name,
          verdicts: judgements.map(\.verdict))))
  }
}
