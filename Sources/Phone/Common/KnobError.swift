/// A setting that cannot be made.
package enum KnobError: Error, Equatable, Sendable {
  case unknown(name: String)
  case badValue(name: String, value: String, allowed: [String])
}

extension KnobError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknown(let name): "no setting '\(name)'"
    case .badValue(let name, let value, let allowed):
      "no value '\(value)' of \(name); allowed: \(allowed.joined(separator: " "))"
    }
  }
}
