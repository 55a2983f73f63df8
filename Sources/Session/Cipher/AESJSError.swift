package import Crypto

/// What the JavaScript cipher library throws.
///
/// ``javaScriptText`` is the library's own text, which for a malformed key contains most of the
/// key. ``description`` is safe for a log: it counts and names, and quotes nothing.
package enum AESJSError: Error, Equatable, Sendable {
  package enum Subject: String, Sendable {
    case key
    case blob
  }

  /// `encodeURI` met a lone surrogate; nothing was encrypted.
  case malformedText
  /// The key text stands for a number of bytes that AES does not know.
  case keySize(bytes: Int)
  /// A pair of characters gave no byte. `nil` stands for `NaN`.
  case invalidValue(in: Subject, values: [Int?])
  /// Ours, not the library's: OpenSSL failed.
  case library(CryptoError)

  /// `Name: message`, byte for byte as aes-js 3.1.2 gives it. May contain key material.
  package var javaScriptText: String {
    switch self {
    case .malformedText: "URIError: URI malformed"
    case .keySize: "Error: invalid key size (must be 16, 24 or 32 bytes)"
    case .invalidValue(_, let values):
      "Error: Array contains invalid value: "
        + values.map { $0.map(String.init) ?? "NaN" }.joined(separator: ",")
    case .library(let error): "Error: \(error)"
    }
  }
}

extension AESJSError: CustomStringConvertible, CustomDebugStringConvertible {
  /// The same, so that no dump of an error that carries this one shows the values either.
  package var debugDescription: String { description }

  package var description: String {
    switch self {
    case .malformedText, .keySize: return javaScriptText
    case .invalidValue(let subject, let values):
      let invalid = values.count { $0 == nil || ($0 ?? 0) < 0 }
      return "Error: Array contains invalid value: \(invalid) of \(values.count) in the "
        + "\(subject.rawValue) (values not shown)"
    case .library(let error): return "\(error)"
    }
  }
}
