import JSON
import Phone
import Ports

extension Replay {
  /// The file.
  package var text: String { JSONWriter.text(of: json, .pretty) + "\n" }

  private var json: JSONValue {
    var object = JSONObject()
    object["schema"] = .text(Self.schema)
    object["foundBy"] = .text(foundBy)
    object["failure"] = failure.map { .text($0.rawValue) } ?? .null
    object["because"] = .text(because)
    object["phone"] = .text(history.phone.rawValue)
    object["store"] = .text(history.store)
    if history.settings != ScenarioSettings() { object["settings"] = history.settings.json }
    object["seed"] = .number(history.seed)
    object["decisions"] = .list(history.steps.indices.map(decision))
    object["verdicts"] = .list(verdicts.map { .text($0.rawValue) })
    object["images"] = .list(images.map(JSONValue.text))
    return .object(object)
  }

  private func decision(_ index: Int) -> JSONValue {
    let step = history.steps[index].json
    guard let site = sites[index], case .object(var members) = step else { return step }
    members["met"] = site.json
    return .object(members)
  }
}

extension FaultSite {
  fileprivate var json: JSONValue {
    var object = JSONObject()
    if let operation {
      object["operation"] = .text(operation.words)
      object["time"] = .integer(operation.occurrence)
      object["of"] = .integer(operation.count)
      object["behind"] = operation.behind.map { .text($0.rawValue) }
    }
    if let survivors {
      object["pending"] = .integer(survivors.pendingCount)
      if !survivors.named.isEmpty { object["kept"] = .list(survivors.named.map(JSONValue.text)) }
    }
    return .object(object)
  }
}
