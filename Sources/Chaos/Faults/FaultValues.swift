package import Backend
package import Device
import Phone

/// The values of a fault's parameters, checked.
package struct FaultValues: Equatable, Sendable {
  package internal(set) var survivors = Survivors.none
  package private(set) var sectors = 1
  /// Of a file call.
  package private(set) var code: DeviceError?
  package private(set) var bytes = 0
  package private(set) var delayMs = 0
  package internal(set) var path = ""
  package private(set) var byte = 0
  package private(set) var bit = 0
  package private(set) var length = 0
  package private(set) var freeBytes = 0

  // Of a server: its replies, its users, and the requests that it waits for.
  /// `nil` of a page that keeps that of the reply.
  package private(set) var status: Int?
  /// `nil` is the one that goes with the status.
  package private(set) var serverCode: ErrorCode?
  package private(set) var rotations = 1
  package private(set) var address = ""
  /// `nil` is every user, or that of the request.
  package private(set) var user: String?
  /// `nil` is any.
  package private(set) var method: String?

  init(_ kind: FaultKind, _ texts: [String: String]) throws(FaultGrammarError) {
    let known = kind.parameters.map(\.rawValue)
    for name in texts.keys.sorted() where !known.contains(name) {
      if known.isEmpty { throw FaultGrammarError("\(kind.rawValue) takes no value '\(name)'") }
      throw FaultGrammarError(unknown: "value of \(kind.rawValue)", name, among: known)
    }
    for parameter in kind.parameters {
      guard let text = texts[parameter.rawValue] ?? kind.fallback(parameter) else {
        throw FaultGrammarError(
          "\(kind.rawValue) needs '\(parameter.rawValue)': \(parameter.summary)")
      }
      try set(parameter, text, of: kind)
    }
  }

  private mutating func set(
    _ parameter: FaultParameter, _ text: String, of kind: FaultKind
  ) throws(FaultGrammarError) {
    switch parameter {
    case .survivors: survivors = try Survivors(text: text)
    case .sectors: sectors = try Self.count(text, parameter, 0...2048)
    case .code where kind.isOnServer: serverCode = try text == "*" ? nil : Self.serverError(text)
    case .code: code = try Self.error(text)
    case .bytes: bytes = try Self.size(text, parameter)
    case .by: delayMs = try Self.duration(text, of: kind)
    case .path:
      guard !text.isEmpty else { throw FaultGrammarError("'path' is empty") }
      if kind.isOnServer, text != "*", !text.hasPrefix("/") {
        throw FaultGrammarError("'\(text)' is no path of a request, such as /token")
      }
      path = text
    case .byte: byte = try Self.size(text, parameter)
    case .bit: bit = try Self.count(text, parameter, 0...7)
    case .to: length = try Self.size(text, parameter)
    case .free: freeBytes = try Self.size(text, parameter)
    case .status where kind == .htmlReply && text == "*": status = nil
    case .status: status = try Self.count(text, parameter, 400...599)
    case .rotations: rotations = try Self.count(text, parameter, 1...100)
    case .address:
      guard !text.isEmpty else { throw FaultGrammarError("'address' is empty") }
      address = text
    case .user: user = text == "*" ? nil : text.lowercased()
    case .method: method = try Self.method(text)
    }
  }

  private static func duration(
    _ text: String, of kind: FaultKind
  ) throws(FaultGrammarError) -> Int {
    let dayMs: Int64 = 86_400_000
    let (range, words): (ClosedRange<Int64>, String) =
      switch kind {
      case .serverClock: (-3650 * dayMs...3650 * dayMs, "step up to 3650d, such as +1h")
      case .lateReply: (0...3_600_000, "delay up to 1h, such as 31s")
      default: (0...60_000, "delay up to 60s, such as 200ms")
      }
    guard let value = Quantity.milliseconds(text), range.contains(value) else {
      throw FaultGrammarError("by '\(text)' is no \(words)")
    }
    return Int(value)
  }

  private static func serverError(_ text: String) throws(FaultGrammarError) -> ErrorCode {
    guard let code = ErrorCode(rawValue: text) else {
      throw FaultGrammarError(
        unknown: "error of a server", text, among: ErrorCode.allCases.map(\.rawValue))
    }
    return code
  }

  private static func method(_ text: String) throws(FaultGrammarError) -> String? {
    guard text != "*" else { return nil }
    let methods = ["GET", "POST", "PUT", "DELETE"]
    guard methods.contains(text.uppercased()) else {
      throw FaultGrammarError(unknown: "method", text, among: methods)
    }
    return text.uppercased()
  }

  private static func count(
    _ text: String, _ parameter: FaultParameter, _ range: ClosedRange<Int>
  ) throws(FaultGrammarError) -> Int {
    guard let value = Int(text), range.contains(value) else {
      throw FaultGrammarError(
        "\(parameter.rawValue) '\(text)' is no number from \(range.lowerBound) to "
          + "\(range.upperBound)")
    }
    return value
  }

  /// The largest file of the device.
  private static let sizeMax = 1 << 44

  private static func size(
    _ text: String, _ parameter: FaultParameter
  ) throws(FaultGrammarError) -> Int {
    guard let value = Quantity.bytes(text), value <= sizeMax else {
      throw FaultGrammarError(
        "\(parameter.rawValue) '\(text)' is no size up to 16384GiB, such as 512 or 2KiB")
    }
    return value
  }

  private static func error(_ text: String) throws(FaultGrammarError) -> DeviceError {
    guard let error = DeviceError.allCases.first(where: { $0.symbol == text.uppercased() }) else {
      throw FaultGrammarError(
        unknown: "error", text, among: DeviceError.allCases.map(\.symbol))
    }
    return error
  }
}

extension Survivors {
  /// `none`, `issued`, `all`, `seed:7`, `kept:1+4+7`, or choices by half or domain:
  /// `key=none,rest=all`. Of the write behind a kept change only some sectors may arrive:
  /// `kept:1+4:first3+7:last1`; these hold for all domains, so they stand in no choice by domain.
  package init(text: String) throws(FaultGrammarError) {
    guard text.contains("=") else {
      self = try Self.simple(text)
      return
    }
    var choices: [String: Survivors] = [:]
    var rest = Survivors.none
    for part in text.split(separator: ",") {
      let pair = part.split(separator: "=").map(String.init)
      guard pair.count == 2, choices[pair[0]] == nil else {
        throw FaultGrammarError("'\(part)' is no choice for a domain, such as key=none")
      }
      let choice = try Self.simple(pair[1])
      if case .partial = choice {
        throw FaultGrammarError("'\(part)' tears a write, which no choice by domain does")
      }
      if pair[0] == "rest" { rest = choice } else { choices[pair[0]] = choice }
    }
    self = .perDomain(choices, rest: rest)
  }

  /// The same with a half's name replaced by the names of its domains.
  func naming(_ halves: [Half: [String]]) -> Survivors {
    switch self {
    case .none, .issued, .all, .kept, .seeded: return self
    case .torn(let operation, let count, let rest):
      return .torn(operation, sectorCount: count, rest: rest.naming(halves))
    case .partial(let write, let rest): return .partial(write, rest: rest.naming(halves))
    case .perDomain(let choices, let rest):
      // A domain that is named itself goes before its half.
      var named = choices
      for half in Half.allCases {
        guard let domains = halves[half], let choice = named.removeValue(forKey: half.rawValue)
        else { continue }
        for domain in domains where choices[domain] == nil { named[domain] = choice }
      }
      return .perDomain(named, rest: rest)
    }
  }

  private static func simple(_ word: String) throws(FaultGrammarError) -> Survivors {
    switch word {
    case "none": return .none
    case "issued": return .issued
    case "all": return .all
    default:
      if word.hasPrefix("seed:"), let seed = UInt64(word.dropFirst(5)) { return .seeded(seed) }
      if word.hasPrefix("kept:") { return try kept(word.dropFirst(5)) }
      throw FaultGrammarError(
        unknown: "choice of survivors", word,
        among: ["none", "issued", "all", "seed:1", "kept:0+2"])
    }
  }

  private static func kept(_ text: Substring) throws(FaultGrammarError) -> Survivors {
    var whole: Set<Int> = []
    var parts: [PartialWrite] = []
    for word in text.split(separator: "+", omittingEmptySubsequences: false) {
      let pair = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let change = Int(pair[0]), change >= 0, !whole.contains(change),
        !parts.contains(where: { $0.change == change })
      else {
        throw FaultGrammarError(
          "'kept:\(text)' names no pending changes, counted from 0, such as kept:0+2")
      }
      if pair.count == 1 {
        whole.insert(change)
      } else {
        parts.append(try PartialWrite(change: change, text: pair[1]))
      }
    }
    return parts.reduce(.kept(whole)) { .partial($1, rest: $0) }
  }

  /// What ``init(text:)`` takes; `nil` for a write that is named by its operation.
  package var text: String? {
    switch self {
    case .none: return "none"
    case .issued: return "issued"
    case .all: return "all"
    case .seeded(let seed): return "seed:\(seed)"
    case .kept, .partial:
      guard let words = keptWords else { return nil }
      return words.isEmpty ? "none" : "kept:" + words.joined(separator: "+")
    case .perDomain(let choices, let rest):
      guard let rest = rest.text else { return nil }
      var words: [String] = []
      for (name, choice) in choices.sorted(by: { $0.key < $1.key }) {
        guard let text = choice.text else { return nil }
        words.append("\(name)=\(text)")
      }
      return (words + ["rest=\(rest)"]).joined(separator: ",")
    case .torn: return nil
    }
  }

  private var keptWords: [String]? {
    switch self {
    case .kept(let indices): indices.sorted().map(String.init)
    case .partial(let write, let rest):
      rest.keptWords.map { $0 + ["\(write.change):\(write.end.rawValue)\(write.sectorCount)"] }
    case .none, .issued, .all, .seeded, .perDomain, .torn: nil
    }
  }
}

extension PartialWrite {
  /// `first3` or `last1`.
  fileprivate init(change: Int, text: Substring) throws(FaultGrammarError) {
    for end in End.allCases where text.hasPrefix(end.rawValue) {
      guard let count = Int(text.dropFirst(end.rawValue.count)), count > 0 else { break }
      self.init(change: change, end, sectorCount: count)
      return
    }
    throw FaultGrammarError("'\(text)' is no part of a write, such as first3 or last1 (sectors)")
  }
}
