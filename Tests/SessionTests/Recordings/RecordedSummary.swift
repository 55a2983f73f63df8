import JSON
import Session

/// How recordings write sessions, users, stored values and errors.
struct RecordedSummary {
  let recording: Recording

  func session(_ json: JSONObject?) -> JSONValue {
    guard let json else { return .null }
    var summary = JSONObject()
    summary["access"] = json["access_token"].map {
      $0.text.map { .text(recording.label(ofToken: $0)) } ?? $0
    }
    summary["refresh"] = json["refresh_token"]
    summary["user"] = json["user"].map { user($0.object) }
    for key in ["expires_at", "weak_password"] { summary[key] = json[key] }
    return .object(summary)
  }

  func user(_ json: JSONObject?) -> JSONValue {
    guard let json else { return .null }
    var summary = JSONObject()
    for key in ["id", "email"] { summary[key] = json[key] }
    summary["identities"] = json["identities"]?.list.map { .integer($0.count) }
    summary["factors"] = json["factors"]?.list.map { factors in
      .list(factors.map { .text("\($0["id"]?.text ?? ""):\($0["status"]?.text ?? "")") })
    }
    if let data = json["user_metadata"], data != [:] { summary["user_metadata"] = data }
    return .object(summary)
  }

  /// A value as a storage entry shows it.
  func stored(_ text: String?) -> JSONValue {
    guard let text else { return .null }
    guard let value = try? JSONReader.read(text).value else { return ["text": .text(text)] }
    guard let json = value.object, json["access_token"] != nil else { return ["json": value] }
    return ["session": session(json)]
  }

  func error(_ error: AuthError) -> JSONValue {
    var json: JSONObject = ["message": .text(error.message), "name": .text(error.name)]
    json["status"] = error.status.map(JSONValue.integer)
    json["code"] = error.code.map(JSONValue.text)
    if case .weakPassword(_, _, let reasons) = error {
      json["reasons"] = .list(reasons.map(JSONValue.text))
    }
    return .object(json)
  }
}
