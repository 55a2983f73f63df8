import Crypto
import JSON
import Session
import Simulation

/// A short play of our own in the form of a recording's script, with both profiles of the client.
struct Scene {
  /// What came of it.
  struct End {
    /// `EVENT access-token` of each event; `-` without a session.
    var events: [String] = []
    /// When each event came, in milliseconds.
    var times: [Int64] = []
    var requests: [JSONObject] = []
    /// How often the store was read.
    var reads = 0
    /// Value or error by call.
    var results: [String: JSONValue] = [:]
    var resultTimes: [String: Int64] = [:]
    var pending: JSONValue
    var stored: JSONValue

    /// The refresh token of the stored session.
    var refresh: String? { stored[Scene.key]?["session"]?["refresh"]?.text }

    func error(_ id: String) -> String? { results[id]?["error"]?["name"]?.text }
  }

  static let key = "sb-lab-auth-token"

  var sdk = "2.112.2"
  /// Seconds that the stored session is still good; `nil` for no session.
  var left: Int?
  var options: JSONObject = ["replyDelayMs": 50, "storageDelayMs": 1, "flowType": "pkce"]
  var script: [JSONValue]

  func play(
    _ profile: AuthSettings.Profile, _ choices: any ChoiceSource = GivenOrder([])
  ) -> End {
    var storage = JSONObject()
    if let left {
      storage[Self.key] = ["json": Self.session(0, expiresAt: "$now\(left < 0 ? "" : "+")\(left)")]
    }
    let tokens = JSONObject(
      (0...3).map { .init(key: "a\($0)", value: .text(Self.token($0, $0 == 2 ? "aal2" : "aal1"))) })
    let head: JSONValue = [
      "anonKey": "anon", "baseUrl": "https://lab.example.test/auth/v1",
      "source": ["version": .text(sdk)], "storageKey": .text(Self.key), "tokens": .object(tokens),
    ]
    let trace = Trace(
      recording: Recording(name: "scene", json: head),
      json: [
        "clockStart": 1_790_000_000_000, "initialStorage": .object(storage),
        "options": .object(options), "script": .list(script),
      ])
    let player = RecordingPlayer(trace, profile, choices)
    player.run()
    return end(player)
  }

  private func end(_ player: RecordingPlayer) -> End {
    var end = End(pending: player.pending, stored: player.finalStorage)
    for entry in player.log.entries {
      let time = entry["t"]?.integer ?? 0
      switch entry["k"]?.text {
      case "event":
        let token = entry["session"]?["access"]?.text ?? "-"
        end.events.append("\(entry["event"]?.text ?? "") \(token)")
        end.times.append(time)
      case "request": end.requests.append(entry)
      case "get": end.reads += 1
      case "result", "rejected":
        guard let id = entry["id"]?.text else { continue }
        end.results[id] = entry["value"] ?? ["error": entry["error"] ?? .null]
        end.resultTimes[id] = time
      default: continue
      }
    }
    return end
  }

  // MARK: - Steps

  static let start: [JSONValue] = [["op": "create"], ["op": "subscribe", "id": "s1"]]

  static func call(_ api: String, _ arguments: JSONValue...) -> JSONValue {
    ["api": .text(api), "args": .list(arguments), "op": "call"]
  }

  static func advance(_ milliseconds: Int64) -> JSONValue {
    ["ms": .integer(milliseconds), "op": "advance"]
  }

  static func reply(_ to: String, status: Int = 200, _ body: JSONValue) -> JSONValue {
    ["body": body, "for": .text(to), "op": "reply", "status": .integer(status)]
  }

  /// A reply with the session of a generation.
  static func session(_ to: String, _ generation: Int) -> JSONValue {
    reply(to, session(generation, expiresAt: "$now+3600"))
  }

  static func session(_ generation: Int, expiresAt: String) -> JSONValue {
    [
      "access_token": .text("$jwt:a\(generation)"), "expires_at": .text(expiresAt),
      "expires_in": 3600, "refresh_token": .text("r\(generation)"), "token_type": "bearer",
      "user": user(),
    ]
  }

  static func user(_ data: JSONValue = [:]) -> JSONValue {
    ["email": "ada@example.test", "id": "u1", "identities": [], "user_metadata": data]
  }

  private static func token(_ generation: Int, _ level: String) -> String {
    let claims: JSONValue = ["aal": .text(level), "jti": .integer(generation)]
    return [["alg": "none"], claims].map { Base64URL.encode(JSONWriter.bytes(of: $0)) }
      .joined(separator: ".") + ".c2ln"
  }
}
