import Ports

/// How long the app waits before it asks for another mail, to match the server's limit per address.
///
/// The server's limit may differ: ``obey(_:_:)`` takes the number of seconds that a refusal names.
final class Cooldown {
  static let seconds: Int64 = 60

  private let clock: any WallClock
  private var endsMs: [String: Int64] = [:]

  init(_ clock: any WallClock) { self.clock = clock }

  /// Whole seconds until another mail may be asked for; 0 if it may be now.
  func remainingSeconds(_ email: String) -> Int64 {
    max(0, ((endsMs[email] ?? 0) - clock.nowMs + 999) / 1000)
  }

  func begin(_ email: String, seconds: Int64 = seconds) {
    endsMs[email] = clock.nowMs + seconds * 1000
  }

  /// Waits as long as a refusal says, such as `… you can only request this after 43 seconds.`
  func obey(_ error: AuthError, _ email: String) {
    guard case .api(let message, 429, _) = error else { return }
    let words = message.split(separator: " ")
    guard let after = words.firstIndex(of: "after"), words.indices.contains(after + 1),
      let seconds = Int64(words[after + 1])
    else { return }
    begin(email, seconds: min(seconds, 86_400))
  }
}
