import Device

/// Errors: each operation of a save, and of the cold start after the last one, is refused once with
/// every error of ``LegalErrors`` that its kind can give. The app then starts again at once; or goes
/// on with what the history has left, and starts after that.
///
/// What the phone's own modules drop or deny after a refused call counts as lost, and is counted:
/// then the app must sign out, cleanly.
extension Explorer {
  func exploreErrors(of histories: [ExploredHistory]) throws(PhoneHostError) {
    for history in histories {
      let launched = (history.isOpenOverlap ? history.ordered(by: []) : history).launched
      let recording = try CrashRecorder.recording(of: launched, plan)
      let places = launched.openSteps.sorted().flatMap { step in
        (recording.operations[step] ?? []).enumerated().flatMap { index, kind in
          LegalErrors.reasons(for: kind).map { (step, index + 1, $0.error) }
        }
      }
      for (number, place) in places.enumerated() where !stops() {
        try refuse(place.2, step: place.0, operation: place.1, of: launched)
        progress("errors", number + 1, places.count)
      }
      phone.witness = nil
      found.moduleLossCount = phone.moduleLossCount
    }
  }

  private func refuse(
    _ error: DeviceError, step: Int, operation: Int, of history: ExploredHistory
  ) throws(PhoneHostError) {
    guard let one = history.refused(error, step: step, operation: operation) else { return }
    try phone.reset(PhoneSetup(plan.phone, one.settings, seed: plan.seed))
    phone.witness = ModuleWitness()
    let player = CasePlayer(
      on: phone, launch: AppLaunch(store: plan.store, settings: one.settings))
    try player.goThrough(Array(one.steps[...step]))
    found.errorCount += 1
    try judge(player, .callError(error), in: history, at: (step, operation), goesOn: false)
    // The last step is the cold start.
    guard step + 2 < history.stepCount else { return }
    try phone.reset(PhoneSetup(plan.phone, one.settings, seed: plan.seed))
    phone.witness = ModuleWitness()
    let other = CasePlayer(
      on: phone, launch: AppLaunch(store: plan.store, settings: one.settings))
    try other.goThrough(Array(one.steps.dropLast()))
    try judge(other, .callError(error), in: history, at: (step, operation), goesOn: true)
  }

  private func judge(
    _ player: CasePlayer, _ disturbance: Disturbance, in history: ExploredHistory,
    at place: (step: Int, operation: Int?), goesOn: Bool
  ) throws(PhoneHostError) {
    let shown = player.judgements
    let (image, _) = try recover(
      phone.withDevice { $0 }, player.knowledge, phone.standing)
    noteFailure(
      in: shown + judgements(ofImage: image), disturbance, in: history, at: place, goesOn: goesOn,
      point: nil, image: image)
  }
}
