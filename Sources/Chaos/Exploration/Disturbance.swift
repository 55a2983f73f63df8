import Device
import JSON

/// What happens to a history at a moment, as a scenario file can say it.
enum Disturbance: Equatable {
  /// Nothing but the app's end: what the history itself has come to.
  case none
  case kill
  case powerCut(Survivors)
  case callError(DeviceError)
  case bitFlip(path: String, byte: Int, bit: Int)

  var kind: DisturbanceKind {
    switch self {
    case .none: .none
    case .kill: .kill
    case .powerCut: .powerCut
    case .callError: .callError
    case .bitFlip: .bitFlip
    }
  }

  /// The members of a scenario's step that let it happen, at an operation of it or by itself; none
  /// when nothing happens.
  func members(at operation: Int?) -> [JSONObject.Member] {
    let moment = operation.map { "@op:\($0)" } ?? ""
    switch self {
    case .none: return []
    case .kill: return [.init(key: "fault", value: .text("kill" + moment))]
    case .powerCut(let survivors):
      return [
        .init(key: "fault", value: .text("power-cut" + moment)),
        .init(key: "survivors", value: .text(survivors.text ?? "none")),
      ]
    case .callError(let error):
      return [
        .init(key: "fault", value: .text("call-error" + moment)),
        .init(key: "code", value: .text(error.symbol)),
      ]
    case .bitFlip(let path, let byte, let bit):
      return [
        .init(key: "fault", value: "bit-flip"), .init(key: "path", value: .text(path)),
        .init(key: "byte", value: .integer(byte)), .init(key: "bit", value: .integer(bit)),
      ]
    }
  }
}

/// A disturbance as reports call it.
package enum DisturbanceKind: String, CaseIterable, Sendable {
  case none = "overlap"
  case kill
  case powerCut = "power-cut"
  case callError = "call-error"
  case bitFlip = "bit-flip"
}
