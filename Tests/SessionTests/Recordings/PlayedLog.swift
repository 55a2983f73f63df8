import JSON
import Simulation

/// What a player has seen, in the form of a recording's log.
final class PlayedLog {
  private(set) var entries: [JSONObject] = []
  private let clock: VirtualClock

  init(_ clock: VirtualClock) { self.clock = clock }

  var elapsedMs: Int64 {
    let (seconds, attoseconds) = clock.elapsed.components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }

  /// Adds a field to an entry that was made before.
  func amend(_ index: Int, _ key: String, _ value: JSONValue) { entries[index][key] = value }

  func add(_ kind: String, _ fields: JSONObject) {
    var entry = fields
    entry["k"] = .text(kind)
    entry["t"] = .integer(elapsedMs)
    entries.append(entry)
  }
}

/// Which entries of two logs have to be the same.
///
/// Entries belong to *strands*: the wire, the store, one subscriber, one call. Within a strand the
/// order counts, and everywhere the time; the order of strands at one time depends on how promises
/// are scheduled. Reads of the store, the console, the end of listeners and rejections that nobody
/// handled are not compared.
struct LogStrands {
  static let kinds: Set = [
    "call", "event", "rejected", "remove", "reply", "request", "result", "set",
  ]

  private var strands: [String: [JSONObject]] = [:]

  init(_ log: [JSONObject]) {
    for entry in log {
      guard let strand = Self.strand(of: entry) else { continue }
      strands[strand, default: []].append(Self.normal(entry))
    }
  }

  /// The first difference of each strand, in words; none when the logs agree.
  func differences(from recorded: LogStrands) -> [String] {
    Set(strands.keys).union(recorded.strands.keys).sorted().compactMap { strand in
      let played = strands[strand] ?? []
      let expected = recorded.strands[strand] ?? []
      guard played != expected else { return nil }
      let common = zip(played, expected).prefix { $0 == $1 }.count
      return """
        \(strand), entry \(common):
          recorded \(Self.text(expected.dropFirst(common).first))
          played   \(Self.text(played.dropFirst(common).first))
        """
    }
  }

  private static func text(_ entry: JSONObject?) -> String {
    entry.map { JSONWriter.text(of: .object($0)) } ?? "nothing"
  }

  private static func strand(of entry: JSONObject) -> String? {
    switch entry["k"]?.text {
    case "request", "reply": "wire"
    case "set", "remove": "store"
    case "event": "subscriber \(entry["sub"]?.text ?? "")"
    case "call", "result", "rejected": "call \(entry["id"]?.text ?? "")"
    case "killed": "process"
    default: nil
    }
  }

  /// An older version gives the reply object as an error's message; how it prints belongs to the
  /// platform.
  private static func normal(_ entry: JSONObject) -> JSONObject {
    guard var value = entry["value"]?.object, var error = value["error"]?.object,
      error["message"]?.text?.hasPrefix(#"{"status":"#) == true
    else { return entry }
    var entry = entry
    error["message"] = "{}"
    value["error"] = .object(error)
    entry["value"] = .object(value)
    return entry
  }
}
