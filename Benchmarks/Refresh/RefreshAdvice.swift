/// What the figures mean for whoever writes an app.
struct RefreshAdvice {
  private let results: RefreshRounds.Results

  init(_ results: RefreshRounds.Results) { self.results = results }

  var text: String { "\(coupling) \(profile)" }

  private func tally(
    _ place: RefreshRounds.Place, _ client: RefreshKind.Client, isCoupled: Bool
  ) -> FleetTally {
    let kind = RefreshKind(
      client: client, isCoupled: isCoupled, isForgiving: place != .strict)
    return results.tallies[.init(place: place, kind: kind)] ?? FleetTally()
  }

  private var coupling: String {
    let tied = tally(.running, .hardened, isCoupled: true)
    let free = tally(.running, .hardened, isCoupled: false)
    return "Tying the ticker to the app's state saves \(count(calls(free) - calls(tied))) of "
      + "\(count(calls(free))) token calls a day where the app runs on in the background, and there "
      + "costs stale tokens at \(stale(tied)) of the calls instead of \(stale(free)); where the phone "
      + "suspends it, \(calls(.suspended, true)) calls a day are \(calls(.suspended, false)) without."
  }

  private var profile: String {
    let ends = RefreshKind.Client.allCases.map { client in
      let name = RefreshKind(client: client, isCoupled: true).name
      return "\(name) \(signOuts(.suspended, client)), and \(signOuts(.strict, client)) where the "
        + "server forgives nothing"
    }
    return
      "Use the hardened profile and tie it. Sign-outs that nobody wanted, in a thousand days of a "
      + "phone: \(ends.joined(separator: "; "))."
  }

  private func signOuts(_ place: RefreshRounds.Place, _ client: RefreshKind.Client) -> String {
    let tally = tally(place, client, isCoupled: true)
    return count(1000 * Double(tally.signOuts.values.reduce(0, +)) / tally.deviceDays)
  }

  private func stale(_ tally: FleetTally) -> String {
    FigureText.significant(100 * Double(tally.staleCount) / Double(tally.callCount)) + " %"
  }

  private func calls(_ tally: FleetTally) -> Double {
    Double(tally.tokenCallCount) / tally.deviceDays
  }

  private func calls(_ place: RefreshRounds.Place, _ isCoupled: Bool) -> String {
    count(calls(tally(place, .hardened, isCoupled: isCoupled)))
  }

  private func count(_ value: Double) -> String { FigureText.value(value, .count) }
}
