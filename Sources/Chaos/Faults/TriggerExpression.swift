package import Device
package import Ports

/// When a fault fires, as people write it.
///
/// ```
/// point:K1   K1   K1#2      at a logical point, the second time
/// op:17                     at the 17th operation after arming
/// rename:*.bak#2            at the second rename of such a path
/// recovery                  when a recovery begins (point R0)
/// each                      once at each point that a recording run reaches (scenarios only)
/// each-op                   once at each of its operations (scenarios only)
/// 2                         at the second request that fits (faults of a server only)
/// ```
package enum TriggerExpression: Equatable, Sendable {
  case point(LogicalPoint, occurrence: Int)
  case operation(count: Int)
  case call(OperationKind, PathPattern, occurrence: Int)
  case each
  case eachOperation
  case request(count: Int)

  /// The moment of a server's fault: which of the requests that fit.
  ///
  /// - Throws: ``FaultGrammarError``.
  init(request text: String) throws(FaultGrammarError) {
    guard let count = Int(text), Self.countRange.contains(count) else {
      throw FaultGrammarError("'\(text)' is no request, counted from 1, such as 2")
    }
    self = .request(count: count)
  }

  /// - Throws: ``FaultGrammarError`` with the nearest valid word.
  package init(_ text: String) throws(FaultGrammarError) {
    let (body, occurrence) = try Self.splitOccurrence(text)
    if body == "each" || body == "each-op" {
      guard occurrence == nil else { throw FaultGrammarError("'\(body)' takes no '#'") }
      self = body == "each" ? .each : .eachOperation
      return
    }
    if body == "recovery" {
      self = .point(.recoveryBegins, occurrence: occurrence ?? 1)
      return
    }
    guard let colon = body.firstIndex(of: ":") else {
      self = .point(try Self.point(body), occurrence: occurrence ?? 1)
      return
    }
    let word = String(body[..<colon])
    let rest = String(body[body.index(after: colon)...])
    switch word {
    case "point": self = .point(try Self.point(rest), occurrence: occurrence ?? 1)
    case "op":
      guard let count = Int(rest), Self.countRange.contains(count), occurrence == nil else {
        throw FaultGrammarError("'\(text)' needs a number from 1, such as op:17")
      }
      self = .operation(count: count)
    default:
      guard let kind = OperationKind(rawValue: word), kind != .point else {
        let kinds = OperationKind.allCases.filter { $0 != .point }.map(\.rawValue)
        throw FaultGrammarError(unknown: "operation", word, among: ["point", "op"] + kinds)
      }
      guard !rest.isEmpty else {
        throw FaultGrammarError("'\(text)' needs a path, such as \(word):*")
      }
      self = .call(kind, PathPattern(rest), occurrence: occurrence ?? 1)
    }
  }

  /// Which counts can be waited for; a phone that lives for years makes no more operations.
  private static let countRange = 1...1_000_000_000

  private static func point(_ word: String) throws(FaultGrammarError) -> LogicalPoint {
    guard let point = LogicalPoint(rawValue: word) else {
      throw FaultGrammarError(
        unknown: "point", word,
        among: LogicalPoint.allCases.map(\.rawValue)
          + ["recovery", "each", "each-op"])
    }
    return point
  }

  private static func splitOccurrence(
    _ text: String
  ) throws(FaultGrammarError) -> (String, Int?) {
    guard let hash = text.lastIndex(of: "#") else { return (text, nil) }
    guard let number = Int(text[text.index(after: hash)...]), countRange.contains(number) else {
      throw FaultGrammarError("'\(text)' needs a number from 1 after '#'")
    }
    return (String(text[..<hash]), number)
  }

  /// As it is written behind `@`: `K1#2`, `op:17`.
  package var text: String {
    switch self {
    case .point(let point, let occurrence): point.rawValue + Self.hash(occurrence)
    case .operation(let count): "op:\(count)"
    case .call(let kind, let pattern, let occurrence):
      "\(kind.rawValue):\(pattern.text)" + Self.hash(occurrence)
    case .each: "each"
    case .eachOperation: "each-op"
    case .request(let count): "\(count)"
    }
  }

  private static func hash(_ occurrence: Int) -> String {
    occurrence == 1 ? "" : "#\(occurrence)"
  }

  /// Whether it stands for several triggers, one for each case.
  package var isSpread: Bool { self == .each || self == .eachOperation }

  /// The trigger for the device; `nil` for one that stands for several, and for a request.
  package var armed: ArmedFault.Trigger? {
    switch self {
    case .point(let point, let occurrence): .point(point.rawValue, occurrence: occurrence)
    case .operation(let count): .operation(count: count)
    case .call(let kind, let pattern, let occurrence):
      .call(kind, path: pattern, occurrence: occurrence)
    case .each, .eachOperation, .request: nil
    }
  }
}

extension LogicalPoint {
  /// As people read it: `K1 (key written)`.
  package var nameAndWords: String { "\(rawValue) (\(words))" }
}

extension TriggerExpression: CustomStringConvertible {
  /// What was written, with the words of a point: `K1 (key written)`.
  package var description: String {
    switch self {
    case .point(let point, let occurrence):
      point.nameAndWords + Self.suffix(occurrence)
    case .operation(let count): "op:\(count)"
    case .call(let kind, let pattern, let occurrence):
      "\(kind.rawValue):\(pattern.text)" + Self.suffix(occurrence)
    case .each: "each"
    case .eachOperation: "each-op"
    case .request(let count): count == 1 ? "the next request" : "request \(count)"
    }
  }

  private static func suffix(_ occurrence: Int) -> String {
    occurrence == 1 ? "" : ", time \(occurrence)"
  }
}
