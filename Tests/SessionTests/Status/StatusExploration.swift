import JSON
import Session

/// Walks through all orders in which things can happen to a status machine, level by level. Two
/// histories of one length that lead to equal states go on as one.
struct StatusExploration {
  /// What the client holds, as far as its events have told.
  private enum Client: Equatable {
    case unknown, nobody
    case user(AuthSession)
  }

  private struct Node {
    var machine: StatusMachine
    var invariants = StatusInvariants()
    var client = Client.unknown
    var isPriming = false
    var isReadingMarker = false
    /// Derivations without an answer; the two newest, so that one of them is late.
    var derivations: [Int] = []
    var path: [StatusInput] = []

    func isSame(as other: Node) -> Bool {
      machine == other.machine && invariants == other.invariants && client == other.client
        && isPriming == other.isPriming && isReadingMarker == other.isReadingMarker
        && derivations == other.derivations
    }

    /// Equal for equal nodes.
    var bucket: String {
      let frame = machine.frame
      return "\(frame.status) \(frame.userID ?? "-") \(frame.isRecovering) \(frame.isDeferred) "
        + "\(frame.isInitialised) \(isPriming) \(isReadingMarker) \(derivations)"
    }

    mutating func await(_ effects: [StatusEffect]) {
      for effect in effects {
        switch effect {
        case .prime: isPriming = true
        case .readMarker: isReadingMarker = true
        case .derive(let number): derivations = derivations.suffix(1) + [number]
        case .clearCache, .writeMarker, .removeMarker: break
        }
      }
    }
  }

  /// How many different states were reached, the first one included.
  private(set) var stateCount = 1
  /// The shortest history that breaks a rule.
  private(set) var witnesses: [StatusInvariants.Violation: String] = [:]
  private let profile: AppProfile
  private let losesEvents: Bool
  private let users = ["id-ada", "id-bob"].map { AuthSession(object(["user": ["id": .text($0)]])) }

  /// Explores.
  ///
  /// - Parameters:
  ///   - profile: Whose machine.
  ///   - depth: The most inputs in a row.
  ///   - losesEvents: Whether a session may vanish without a `SIGNED_OUT`.
  init(_ profile: AppProfile, depth: Int, losesEvents: Bool) {
    self.profile = profile
    self.losesEvents = losesEvents
    let machine = StatusMachine(profile)
    var first = Node(machine: machine)
    first.await(machine.beginning)
    var level = [first]
    for _ in 0..<depth {
      var buckets: [String: [Node]] = [:]
      for node in level {
        for input in inputs(of: node) {
          let next = step(node, input)
          if buckets[next.bucket]?.contains(where: next.isSame) != true {
            buckets[next.bucket, default: []].append(next)
          }
        }
      }
      level = buckets.sorted { $0.key < $1.key }.flatMap(\.value)
      stateCount += level.count
    }
  }

  private mutating func step(_ node: Node, _ input: StatusInput) -> Node {
    var node = node
    node.path.append(input)
    switch input {
    case .event(.signedOut, _): node.client = .nobody
    case .event(_, let session?): node.client = .user(session)
    case .event(_, nil), .primingOverdue, .passwordChanged, .signOutUnheard: break
    case .rechecked(_, let session): if session == nil { node.client = .nobody }
    case .primed(let result):
      node.isPriming = false
      if case .session(let session) = result, node.client == .unknown {
        node.client = session.map(Client.user) ?? .nobody
      }
    case .markerRead: node.isReadingMarker = false
    case .derived(let number, _): node.derivations.removeAll { $0 == number }
    }
    let effects = node.machine.take(input)
    node.await(effects)
    for violation in node.invariants.observe(input, effects, node.machine.frame)
    where witnesses[violation] == nil {
      witnesses[violation] = node.path.map(words).joined(separator: ", ")
    }
    return node
  }

  private func inputs(of node: Node) -> [StatusInput] {
    var inputs = events(node.client)
    if node.isPriming {
      inputs += (users + [nil]).map { .primed(.session($0)) } + [.primed(.failed)]
      inputs.append(.primed(.rejected))
    }
    if node.isReadingMarker {
      inputs += ["id-ada", "id-bob", StatusMachine.pendingMarker, nil].map { .markerRead($0) }
    }
    for number in node.derivations {
      inputs += [.sufficient, .stepUpNeeded, .unknown].map { .derived(number, $0) }
    }
    if profile == .hardened {
      inputs += [.primingOverdue, .passwordChanged, .signOutUnheard]
      inputs.append(.rechecked(since: node.machine.inputCount, nil))
      if case .user(let session) = node.client {
        inputs.append(.rechecked(since: node.machine.inputCount, session))
      }
    }
    return inputs
  }

  private func words(_ input: StatusInput) -> String {
    func user(_ session: AuthSession?) -> String {
      session.map { $0 == users[0] ? "ada" : "bob" } ?? "nobody"
    }
    switch input {
    case .event(let event, let session): return "\(event.rawValue) \(user(session))"
    case .primed(.session(let session)): return "primed \(user(session))"
    case .rechecked(_, let session): return "rechecked \(user(session))"
    case .primed, .primingOverdue, .markerRead, .derived, .passwordChanged, .signOutUnheard:
      return "\(input)"
    }
  }

  private func events(_ client: Client) -> [StatusInput] {
    var inputs: [StatusInput] = [.event(.signedOut, nil)]
    inputs += users.map { .event(.signedIn, $0) } + users.map { .event(.passwordRecovery, $0) }
    let told: [AuthSession]
    switch client {
    case .unknown: told = users
    case .nobody: told = []
    case .user(let session): told = [session]
    }
    for session in told {
      for event in [
        AuthEvent.initialSession, .tokenRefreshed, .userUpdated, .mfaChallengeVerified,
      ] {
        inputs.append(.event(event, session))
      }
    }
    if client == .nobody || client == .unknown || losesEvents {
      inputs.append(.event(.initialSession, nil))
    }
    return inputs
  }
}
