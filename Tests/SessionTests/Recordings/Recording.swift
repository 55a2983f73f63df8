import Foundation
import JSON
import Testing

/// A file of traces that the real library left.
struct Recording: Sendable {
  let name: String
  let json: JSONValue

  var version: String { json["source"]?["version"]?.text ?? "" }
  var traces: [Trace] {
    (json["traces"]?.list ?? []).map { Trace(recording: self, json: $0) }
  }

  func text(_ key: String) -> String { json[key]?.text ?? "" }

  /// What stands for a token in summaries.
  func label(ofToken token: String) -> String {
    json["tokens"]?.object?.members.first { $0.value.text == token }?.key ?? token
  }

  /// Puts in what macros stand for.
  ///
  /// - Parameters:
  ///   - value: A body, an argument or a stored value.
  ///   - nowMs: The server's clock.
  /// - Returns: The value without macros.
  func expanded(_ value: JSONValue, nowMs: Int64) -> JSONValue {
    switch value {
    case .text(let text) where text.hasPrefix("$jwt:"):
      json["tokens"]?[String(text.dropFirst(5))] ?? value
    case .text(let text) where text.hasPrefix("$now"):
      .integer(nowMs / 1000 + (Int64(text.dropFirst(4)) ?? 0))
    case .list(let list): .list(list.map { expanded($0, nowMs: nowMs) })
    case .object(let object):
      .object(
        JSONObject(
          object.members.map { .init(key: $0.key, value: expanded($0.value, nowMs: nowMs)) }))
    case .null, .bool, .integer, .unsigned, .double, .text: value
    }
  }

  static let isCommitted = ProcessInfo.processInfo.environment["LAB_VECTORS"] == nil

  /// The committed files, or those in the folder that `LAB_VECTORS` names.
  static let all: [Recording] = {
    let named = ProcessInfo.processInfo.environment["LAB_VECTORS"]
    let own = Bundle.module.url(forResource: "Vectors", withExtension: nil)
    guard let folder = named.map({ URL(fileURLWithPath: $0) }) ?? own,
      let files = try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)
    else { return [] }
    return files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.compactMap {
      guard let data = try? Data(contentsOf: $0),
        let json = try? JSONReader.read(Array(data)).value,
        json["source"]?["library"]?.text == "@supabase/auth-js"
      else { return nil }
      return Recording(name: $0.lastPathComponent, json: json)
    }
  }()
}

/// One run of a client of the real library.
struct Trace: Sendable, CustomTestStringConvertible {
  let recording: Recording
  let json: JSONValue

  var name: String { json["name"]?.text ?? "" }
  var testDescription: String { "\(recording.version) \(name)" }
  var script: [JSONValue] { json["script"]?.list ?? [] }
  var log: [JSONObject] { (json["log"]?.list ?? []).compactMap(\.object) }

  func milliseconds(_ option: String) -> Int64 { json["options"]?[option]?.integer ?? 0 }
}
