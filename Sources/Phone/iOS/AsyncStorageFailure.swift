package import Ports

/// The errors of one call of AsyncStorage, one for each key that failed and one for the manifest.
/// Keys without an error were served.
package struct AsyncStorageFailure: Error, Equatable, Sendable {
  package struct KeyError: Equatable, Sendable {
    /// `nil` when the error is about the manifest or the directory.
    package var key: String?
    package var message: String
  }

  package var errors: [KeyError]
  /// What 3.x says instead of the messages.
  package var summary: String

  init(_ summary: String, _ errors: [KeyError]) {
    self.errors = errors
    self.summary = summary
  }

  /// The one error that a call for a single key rejects with.
  package func native(_ version: AsyncStorageVersion) -> NativeError {
    switch version {
    case .two: NativeError(message: errors.first?.message ?? summary)
    case .three, .threeScoped: NativeError(code: "AsyncStorageError", message: summary)
    }
  }
}
