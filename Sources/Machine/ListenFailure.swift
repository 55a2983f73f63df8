/// A socket that could not be served.
package struct ListenFailure: Error, Equatable, Sendable, CustomStringConvertible {
  package var reason: String

  package var description: String { reason }
}
