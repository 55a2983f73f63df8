package import Ports

/// How long the app waits before it asks for another mail, to match the server's limit per address.
///
/// The server's limit may differ. `hardened` keeps one for all screens, by address, and obeys the
/// number of seconds that a refusal names.
package final class Cooldown {
  package static let seconds: Int64 = 60

  private let clock: any WallClock
  private var endsMs: [String: Int64] = [:]

  package init(_ clock: any WallClock) { self.clock = clock }

  /// Whole seconds until another mail may be asked for; 0 if it may be now.
  package func remainingSeconds(_ email: String) -> Int64 {
    max(0, ((endsMs[email] ?? 0) - clock.nowMs + 999) / 1000)
  }

  func begin(_ email: String, seconds: Int64 = seconds) {
    endsMs[email] = clock.nowMs + seconds * 1000
  }

  /// The number in `… you can only request this after 43 seconds.`
  static func seconds(named message: String) -> Int64? {
    let words = message.split(separator: " ")
    guard let after = words.firstIndex(of: "after"), words.indices.contains(after + 1) else {
      return nil
    }
    return Int64(words[after + 1])
  }
}
