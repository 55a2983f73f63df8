import Session

/// What the figures mean for whoever writes an app for this machine.
struct CryptoAdvice {
  private let ledger: Ledger
  private let implementations: Implementations
  private let bytes = 4 << 10

  init(_ ledger: Ledger, _ implementations: Implementations) {
    self.ledger = ledger
    self.implementations = implementations
  }

  var text: String { "\(cipher) \(save)" }

  /// The kernel is for measuring, a context for each message for comparing, and the stores' own is
  /// OpenSSL: none of them is advice.
  private var cipher: String {
    let fresh = CryptoRounds.fresh(bytes)
    let usable = implementations.ciphers.filter { cipher in
      cipher.keepsKey && !(cipher is KernelCipher || cipher is StoreCipher)
    }
    let times = usable.map { ($0.name, ledger[fresh, $0.name].median) }
    let habit = ledger[fresh, OpenSSLCipher.Habit.fetchedAnew.rawValue].median
    guard let best = times.min(by: { $0.1 < $1.1 }) else {
      return "There is no library here that encrypts."
    }
    return "To encrypt a session on this machine use \(best.0): "
      + "\(FigureText.value(best.1, .nanoseconds)) for 4 KiB under a new key, where OpenSSL called "
      + "as in tutorials takes \(FigureText.value(habit, .nanoseconds))\(possible(fresh))."
  }

  private func possible(_ fresh: String) -> String {
    guard let kernel = Implementations.kernel else { return "" }
    let best = ledger[fresh, kernel].median
    return " and the processor could do it in \(FigureText.value(best, .nanoseconds))"
  }

  private var save: String {
    let times = [StoreKind.recipe, .durable].map { kind in
      let ns = ledger[CryptoRounds.store(kind, .set, bytes), CryptoRounds.lab].median
      return "\(FigureText.value(ns, .nanoseconds)) with \(kind.name)"
    }
    return "Saving a session of 4 KiB costs the user \(times.joined(separator: " and ")) before "
      + "anything reaches storage."
  }
}
