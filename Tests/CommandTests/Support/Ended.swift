import Foundation
import Testing

/// How a program ended, and what it said.
struct Ended: Equatable {
  /// 128 and the signal's number when a signal ended it, as a shell says.
  var code: Int32
  var output: String
  var errors: String

  /// The lines of stdout without the last line end.
  var lines: [String] {
    output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Stdout as one JSON object.
  func json(_ location: SourceLocation = #_sourceLocation) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
    return try #require(value as? [String: Any], "\(output)", sourceLocation: location)
  }
}
