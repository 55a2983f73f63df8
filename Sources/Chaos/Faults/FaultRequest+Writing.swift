import Backend
import Device
package import JSON

extension FaultRequest {
  /// The members of a step that ask for this fault, as ``ScenarioReader`` reads them.
  package var members: [JSONObject.Member] {
    var members: [JSONObject.Member] = [.init(key: "fault", value: .text(word))]
    if times > 1 { members.append(.init(key: "times", value: .integer(times))) }
    for parameter in kind.parameters {
      let text = values.text(of: parameter)
      guard text != kind.fallback(parameter) else { continue }
      let value = Int64(text).map(JSONValue.integer) ?? .text(text)
      members.append(.init(key: parameter.rawValue, value: value))
    }
    return members
  }

  /// The short form: `kill@K1`. The next request that fits needs no word.
  private var word: String {
    guard let trigger, !(kind.isOnServer && trigger == impliedTrigger) else {
      return kind.rawValue
    }
    return "\(kind.rawValue)@\(trigger.text)"
  }
}

extension FaultValues {
  /// A value as it is written.
  package func text(of parameter: FaultParameter) -> String {
    switch parameter {
    case .survivors:
      guard let text = survivors.text else {
        preconditionFailure("what a fault leaves can be written, for it was read")
      }
      return text
    case .sectors: return String(sectors)
    case .code: return serverCode?.rawValue ?? code?.symbol ?? "*"
    case .bytes: return String(bytes)
    case .by: return "\(delayMs)ms"
    case .path: return path
    case .status: return status.map(String.init) ?? "*"
    case .rotations: return String(rotations)
    case .address: return address
    case .user: return user ?? "*"
    case .method: return method ?? "*"
    case .byte: return String(byte)
    case .bit: return String(bit)
    case .to: return String(length)
    case .free: return String(freeBytes)
    }
  }
}
