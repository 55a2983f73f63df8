import Device

/// Errors: each operation of a save, and of the cold start after the last one, is refused once with
/// every error of ``LegalErrors`` that its kind can give. The app then starts again at once; or goes
/// on with what the history has left, and starts after that.
///
/// What the phone's own modules drop or deny after a refused call counts as lost, and is counted:
/// then the app must sign out, cleanly.
extension Explorer {
  func exploreErrors(of histories: [ExploredHistory]) throws(PhoneHostError) {
    let stage = try SimulatedPhone(PhoneSetup(plan.phone, plan.settings, seed: plan.seed))
    for history in histories {
      let launched = (history.isOpenOverlap ? history.ordered(by: []) : history).launched
      let recording = try CrashRecorder.recording(of: launched, plan)
      let places = launched.openSteps.sorted().flatMap { step in
        (recording.operations[step] ?? []).enumerated().flatMap { index, kind in
          LegalErrors.reasons(for: kind).map { (step, index + 1, $0.error) }
        }
      }
      for (number, place) in places.enumerated() where !stops() {
        let moment = recording.moments.first { ($0.step, $0.operation) == (place.0, place.1) }
        let spot = moment.map { launched.spot($0) }
        try refuse(place.2, step: place.0, operation: place.1, of: launched, at: spot, on: stage)
        progress("errors", number + 1, places.count)
      }
    }
    found.moduleLossCount = stage.moduleLossCount + phone.moduleLossCount
  }

  /// Plays a history with one call refused, and recovers it just after that step, and after the rest.
  private func refuse(
    _ error: DeviceError, step: Int, operation: Int, of history: ExploredHistory,
    at spot: CrashMap.Spot?, on stage: SimulatedPhone
  ) throws(PhoneHostError) {
    guard let one = history.refused(error, step: step, operation: operation) else { return }
    try stage.reset(PhoneSetup(plan.phone, one.settings, seed: plan.seed))
    stage.witness = ModuleWitness()
    let player = CasePlayer(
      on: stage, launch: AppLaunch(store: plan.store, settings: one.settings))
    found.errorCount += 1
    // The last step is the cold start, which adds nothing to what a recovery does.
    let rest = one.steps[(step + 1)...].dropLast()
    for (goesOn, steps) in [(false, one.steps[...step]), (true, rest)] where !steps.isEmpty {
      try player.goThrough(Array(steps))
      let (image, _) = try recover(
        stage.withDevice { $0 }, player.knowledge, stage.standing)
      noteFailure(
        in: player.judgements + judgements(ofImage: image), .callError(error), in: history,
        at: (step, operation), goesOn: goesOn, point: nil, image: image)
      if let spot {
        found.map.note(verdict(ofImage: image, after: player.judgements), .callError, at: spot)
      }
    }
  }
}
