package import JSON
import Ports
import Session

extension Scenario.Step {
  /// The step as ``ScenarioReader`` reads it.
  package var json: JSONValue {
    guard let fault, action.key(sharedWith: fault.kind) != nil else {
      return .object(JSONObject(action.members + (fault?.members ?? [])))
    }
    let own = JSONObject.Member(key: "fault", value: .object(JSONObject(fault.members)))
    return .object(JSONObject(action.members + [own]))
  }

  /// What the app or the system does, in the words of the file: `refresh to 2`.
  package var words: String {
    switch action {
    case .happen(let request): return request.kind.rawValue
    case .disturbance(let steps): return steps.map(\.words).joined(separator: ", ")
    default:
      let members = action.members
      let values = members.dropFirst().map { " \($0.key) \($0.value.text ?? "\($0.value)")" }
      return (members.first?.value.text ?? "") + values.joined()
    }
  }
}

extension Scenario.Action {
  /// The name of a value that both the step and its fault have.
  func key(sharedWith kind: FaultKind) -> String? {
    let names = ["times"] + kind.parameters.map(\.rawValue)
    return members.map(\.key).first(where: names.contains)
  }

  /// The members of the step, the word of what is done first.
  fileprivate var members: [JSONObject.Member] {
    switch self {
    case .signIn: return Self.members("sign-in")
    case .refresh(nil): return Self.members("refresh")
    case .refresh(let generation?): return Self.members("refresh", ("to", .integer(generation)))
    case .overlap(let overlap):
      let all: [(key: String, value: JSONValue, isDefault: Bool)] = [
        ("to", .integer(overlap.generation), false),
        ("writers", .integer(overlap.writerCount), overlap.writerCount == 2),
        ("readers", .integer(overlap.readerCount), overlap.readerCount == 0),
        ("order", .text(Overlap.text(of: overlap.order)), overlap.order.isEmpty),
      ]
      return Self.members("overlap")
        + all.filter { !$0.isDefault }.map { .init(key: $0.key, value: $0.value) }
    case .read(1, _): return Self.members("read")
    case .read(let times, let everyMs):
      return Self.members(
        "read", ("times", .integer(times)), ("every", .text(Quantity.text(ofMs: everyMs))))
    case .signOut: return Self.members("sign-out")
    case .launch(let times, let way):
      var members = Self.members("launch")
      if times > 1 { members.append(.init(key: "times", value: .integer(times))) }
      if way != .icon { members.append(.init(key: "how", value: .text(way.rawValue))) }
      return members
    case .become(let state):
      return Self.members(state == .active ? "foreground" : "background")
    case .openURL(let url): return Self.members("open-url", ("url", .text(url)))
    case .setClock(let ms):
      return Self.members("set-clock", ("ahead", .text(Quantity.text(ofMs: ms))))
    case .clock(let step): return Self.members("clock", ("by", .text(Quantity.text(ofMs: step))))
    case .storeSecret(let name): return Self.members("store-secret", ("name", .text(name)))
    case .update(let settings): return Self.members("update", ("settings", settings.json))
    case .snapshot(let name, let half):
      return Self.members("snapshot", ("name", .text(name)), ("half", .text(half.rawValue)))
    case .restore(let name, let half, let isNew):
      return Self.members(
        "restore", ("name", .text(name)), ("half", .text(half.rawValue)),
        ("device", isNew ? "new" : "same"))
    case .happen(let request): return request.members
    case .disturbance(let steps): return [.init(key: "fault", value: .list(steps.map(\.json)))]
    }
  }

  private static func members(
    _ word: String, _ more: (key: String, value: JSONValue)...
  ) -> [JSONObject.Member] {
    [.init(key: "do", value: .text(word))] + more.map { .init(key: $0.key, value: $0.value) }
  }
}
