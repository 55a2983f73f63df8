import Device
import JSON

/// How the app ends at a moment.
enum Crash: Equatable {
  case kill
  case powerCut(Survivors)

  var isCut: Bool { self != .kill }

  /// The members of a scenario's step that let it happen, at an operation of it or by itself.
  func members(at operation: Int?) -> [JSONObject.Member] {
    let moment = operation.map { "@op:\($0)" } ?? ""
    switch self {
    case .kill: return [.init(key: "fault", value: .text("kill" + moment))]
    case .powerCut(.torn(_, let sectorCount, let rest)):
      return [
        .init(key: "fault", value: .text("torn-write" + moment)),
        .init(key: "sectors", value: .integer(sectorCount)),
        .init(key: "survivors", value: .text(Self.words(rest))),
      ]
    case .powerCut(let survivors):
      return [
        .init(key: "fault", value: .text("power-cut" + moment)),
        .init(key: "survivors", value: .text(Self.words(survivors))),
      ]
    }
  }

  /// What ``CutStates`` names, as scenario files write it.
  private static func words(_ survivors: Survivors) -> String {
    guard case .kept(let indices) = survivors, !indices.isEmpty else { return "none" }
    return "kept:" + indices.sorted().map(String.init).joined(separator: "+")
  }
}
