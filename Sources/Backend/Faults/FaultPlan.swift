package import Ports
import Wire

/// The switches of a server, and which of them have met a request.
package struct FaultPlan: Sendable {
  package struct Entry: Equatable, Sendable {
    package let id: Int
    package let fault: ServerFault
    fileprivate var seen = 0
    /// How many requests went another way for it; zero is *armed*.
    package fileprivate(set) var fired = 0

    /// Whether it may meet a request still.
    package var isArmed: Bool { seen < fault.occurrence + fault.times - 1 }
    /// Whether it has met one.
    package var hasMet: Bool { seen >= fault.occurrence }
  }

  package private(set) var entries: [Entry] = []
  private var count = 0

  /// Returns the id under which the fault is reported.
  @discardableResult
  package mutating func arm(_ fault: ServerFault) -> Int {
    count += 1
    entries.append(Entry(id: count, fault: fault))
    return count
  }

  package mutating func disarm() { entries.removeAll() }

  /// Takes one fault back; gives what was known of it, or `nil` if there is none of this id.
  package mutating func disarm(_ id: Int) -> Entry? {
    entries.firstIndex { $0.id == id }.map { entries.remove(at: $0) }
  }

  /// The faults that meet a request, in the order in which they take effect, whenever they were armed.
  mutating func faults(meeting request: RequestPlace) -> [Entry] {
    var met: [Entry] = []
    for index in entries.indices where request.fits(entries[index].fault) {
      entries[index].seen += 1
      let fault = entries[index].fault
      let last = fault.occurrence + fault.times
      guard (fault.occurrence..<last).contains(entries[index].seen) else { continue }
      met.append(entries[index])
    }
    return met.sorted { ($0.fault.effect.stage, $0.id) < ($1.fault.effect.stage, $1.id) }
  }

  fileprivate mutating func noteFired(_ id: Int) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    entries[index].fired += 1
  }
}

extension ServerFault.Effect {
  /// What comes first of several that meet one request.
  enum Stage: Int, Comparable {
    /// Somebody else does something, or time jumps.
    case elsewhere
    /// The request is not handled.
    case inPlace
    /// The request itself is another.
    case request
    /// What of the reply arrives, and when.
    case delivery
    /// Its status with all else, its fields, its bytes.
    case status, fields, body

    static func < (one: Stage, other: Stage) -> Bool { one.rawValue < other.rawValue }

    /// Whether it is over before there is a reply of the server's own.
    var isBeforeReply: Bool { self < .delivery }
  }

  var stage: Stage {
    switch self {
    case .serverClock, .elsewhere: .elsewhere
    case .loseRequest, .refuse, .htmlReply(_?): .inPlace
    case .changeAddress, .expiredTokens: .request
    case .loseReply, .hang, .lateReply: .delivery
    case .errorReply: .status
    case .noVersion, .numberCode, .textCode: .fields
    case .htmlReply(nil), .emptyReply, .cutReply: .body
    }
  }
}

extension FaultyService {
  /// Answers a request that faults meet, and counts those that have changed something: behind a request
  /// or a reply that is lost nothing else can be seen.
  ///
  /// - Parameters:
  ///   - met: The faults, as ``FaultPlan/faults(meeting:)`` gives them.
  ///   - prepare: What a fault does before the request is handled; a reply takes its place.
  ///   - handle: Handles the request.
  ///   - change: What a fault makes of a reply.
  /// - Returns: The reply.
  func reply(
    meeting met: [FaultPlan.Entry], prepare: (ServerFault) -> ServerReply?,
    handle: () -> ServerReply, change: (inout ServerReply, ServerFault.Effect) -> Void
  ) -> ServerReply {
    var inPlace: ServerReply?
    for entry in met where entry.fault.effect.stage.isBeforeReply && inPlace == nil {
      inPlace = prepare(entry.fault)
      faults.noteFired(entry.id)
    }
    var reply = inPlace ?? handle()
    for entry in met where !entry.fault.effect.stage.isBeforeReply && reply.arrives {
      let before = reply
      change(&reply, entry.fault.effect)
      if reply != before { faults.noteFired(entry.id) }
    }
    return reply
  }
}

extension ServerReply {
  fileprivate var arrives: Bool {
    switch delivery {
    case .now, .after: true
    case .never, .cut: false
    }
  }
}

/// What a fault compares of a request.
struct RequestPlace {
  /// The bases that a fault may name or leave out, such as `/auth/v1`.
  var bases: [String]
  var method: String
  /// Below the base, and the same with `*` for the ids in it.
  var paths: [String]
  var query: FormQuery

  func fits(_ fault: ServerFault) -> Bool {
    guard (fault.method ?? method) == method else { return false }
    guard let path = fault.path else { return true }
    let (whole, wanted) = ServerFault.split(path, below: bases)
    return paths.contains(whole)
      && wanted.pairs.allSatisfy { query[$0.name] == $0.value }
  }
}

extension ServerFault {
  /// A path as it is compared, and its query.
  fileprivate static func split(_ path: String, below bases: [String]) -> (String, FormQuery) {
    let whole = path.prefix { $0 != "?" }
    let base = bases.first { whole.hasPrefix($0 + "/") } ?? ""
    return (
      String(whole.dropFirst(base.count)), FormQuery(lenient: path.dropFirst(whole.count + 1))
    )
  }
}

/// A server that faults can be injected into.
package protocol FaultyService: HTTPService {
  var faults: FaultPlan { get set }
  /// What its paths begin with, which a fault may leave out.
  static var bases: [String] { get }
  /// What it serves, below its bases: `POST /token`. An id is `*`.
  static var routes: [String] { get }
  /// What it has no use for.
  static var unknownFaults: Set<ServerFault.Kind> { get }
  /// The addresses of its users.
  var accounts: [String] { get }
  /// What it holds of each user: kind and name, without a secret.
  var holdings: [ServerHolding] { get }

  /// Does at once what a fault does apart from any request.
  ///
  /// - Parameters:
  ///   - effect: The jump of its clock, or a deed.
  ///   - user: The address of one user; `nil` is each of them.
  func happen(_ effect: ServerFault.Effect, to user: String?)
}

extension FaultyService {
  /// Whether it serves requests with such a path, and such a method if there is one.
  package static func serves(_ path: String, method: String?) -> Bool {
    let (path, _) = ServerFault.split(path, below: bases)
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return routes.contains { route in
      let words = route.split(separator: " ")
      let pattern = words[1].split(separator: "/", omittingEmptySubsequences: false)
      return (method ?? String(words[0])) == words[0] && pattern.count == parts.count
        && zip(pattern, parts).allSatisfy { $0 == $1 || ($0 == "*" && !$1.isEmpty) }
    }
  }
}

/// One thing that a server holds.
package struct ServerHolding: Equatable, Sendable {
  /// `account`, `session`, `factor`.
  package var kind: String
  package var name: String
  package var note: String?

  package init(_ kind: String, _ name: String, note: String? = nil) {
    self.kind = kind
    self.name = name
    self.note = note
  }
}
