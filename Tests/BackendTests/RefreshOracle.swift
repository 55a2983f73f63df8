/// What a refresh answers, said once more in a small way: on numbers instead of tokens.
///
/// Tokens are numbered in the order in which they are made. Time is in seconds.
protocol RefreshOracle {
  /// The number of the token that comes back, or `nil` for `refresh_token_already_used`; and
  /// `.max` once the session is gone.
  mutating func show(_ token: Int, at now: Int) -> Int?
}

/// Version 1: every token has a parent, and is live or dead since a moment.
struct ParentOracle: RefreshOracle {
  let reuse: Int
  let rotates: Bool
  private var parents: [Int?] = [nil]
  private var deaths: [Int?] = [nil]

  init(reuse: Int, rotates: Bool) {
    self.reuse = reuse
    self.rotates = rotates
  }

  mutating func show(_ token: Int, at now: Int) -> Int? {
    let live = deaths.lastIndex { $0 == nil }
    if let death = deaths[token] {
      if let live, parents[live] == token { return live }
      if now > death + reuse {
        if rotates { deaths = deaths.map { $0 ?? now } }
        return nil
      }
    } else {
      deaths[token] = now
    }
    parents.append(token)
    deaths.append(nil)
    return parents.count - 1
  }
}

/// Version 2: a counter, and the moment of the last refresh.
struct CounterOracle: RefreshOracle {
  let reuse: Int
  let rotates: Bool
  private var counter = 0
  private var refreshed = 0
  private var isGone = false

  init(reuse: Int, rotates: Bool) {
    self.reuse = reuse
    self.rotates = rotates
  }

  mutating func show(_ token: Int, at now: Int) -> Int? {
    if isGone { return .max }
    switch counter - token {
    case 0: counter += 1
    case 1: break
    default:
      guard now - refreshed < reuse else {
        isGone = rotates
        return nil
      }
    }
    refreshed = now
    return counter
  }
}
