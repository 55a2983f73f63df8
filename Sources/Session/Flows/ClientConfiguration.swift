/// How the one auth client of the app is made. Fails when the app starts, not in a later call.
package struct ClientConfiguration: Equatable, Sendable {
  package enum FlowType: String, Sendable {
    case pkce, implicit
  }

  package static let urlVariable = "EXPO_PUBLIC_SUPABASE_URL"
  package static let keyVariable = "EXPO_PUBLIC_SUPABASE_PUBLIC_KEY"

  package let url: String
  package let publicKey: String
  package let refreshesByItself = true
  package let persistsSession = true
  /// There is no page whose address could hold one.
  package let detectsSessionInURL = false
  package let flowType = FlowType.pkce

  /// Reads the variables that the build has baked in.
  ///
  /// - Throws: ``ConfigurationError`` with the name of a variable that is missing or empty.
  package init(
    environment: [String: String], isAndroid: Bool, isDevelopment: Bool
  ) throws(ConfigurationError) {
    func value(_ name: String) throws(ConfigurationError) -> String {
      guard let value = environment[name], !value.isEmpty else {
        throw ConfigurationError(variable: name)
      }
      return value
    }
    url = EmulatorHost.resolve(
      try value(Self.urlVariable), isAndroid: isAndroid, isDevelopment: isDevelopment)
    publicKey = try value(Self.keyVariable)
  }
}

/// A variable of the build is missing.
package struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  package var variable: String

  package var description: String { "\(variable) is not set" }
}
