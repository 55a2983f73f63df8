package import Linux
package import Mount

/// Why a phone could not do what the lab wanted; one line, and what to do next.
package enum PhoneHostError: Error, Sendable, CustomStringConvertible {
  case mount(MountError)
  case system(SystemError)
  /// A program of the lab is not where it should be.
  case missingProgram(String)
  /// The phone's service did not start, or did not answer.
  case service(String)
  /// A program of somebody else's broke the protocol; how, and what it printed last.
  case adapter(String)
  /// A fault names a file that the phone does not have.
  case missingFile(String)
  /// The fault cannot happen now.
  case refused(String)

  package var description: String {
    switch self {
    case .mount(let error): "\(error)"
    case .system(let error): "\(error)"
    case .missingProgram(let path): "\(path) is missing.  do: build the lab again"
    case .service(let reason): "the phone's key service \(reason)"
    case .adapter(let problem): problem
    case .missingFile(let path): "no file '\(path)' on the phone"
    case .refused(let reason): reason
    }
  }
}
