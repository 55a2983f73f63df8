/// What one side is told about callbacks: in an app fixed at build, on a server read at every request.
package struct TrustSettings: Equatable, Sendable {
  /// The names of the two settings, as people write them.
  package enum Field: String, Sendable {
    case scheme = "EXPO_PUBLIC_APP_SCHEME"
    case origins = "MOBILE_ALLOWED_ORIGINS"
  }

  package var scheme: String?
  /// Origins with commas between them.
  package var allowedOrigins: String?
  package var isProduction: Bool

  package init(scheme: String?, allowedOrigins: String?, isProduction: Bool) {
    self.scheme = scheme
    self.allowedOrigins = allowedOrigins
    self.isProduction = isProduction
  }

  /// The list that follows from the settings.
  ///
  /// In production the origins must be there, exact, HTTPS and not local (R-HAND-13, R-HAND-14); in
  /// development there may be none (R-HAND-15). A wildcard is never accepted.
  ///
  /// - Returns: The list.
  /// - Throws: ``TrustProblem`` that names the setting.
  package func list() throws(TrustProblem) -> TrustList {
    guard let scheme, !scheme.isEmpty else { throw TrustProblem(.scheme, "is not set") }
    guard SchemeRule.holds(for: scheme[...]), !Self.webSchemes.contains(scheme) else {
      throw TrustProblem(.scheme, "is no scheme of an app", entry: scheme)
    }
    let entries = (allowedOrigins ?? "").split(separator: ",").map {
      String($0.trimmingBlanks)
    }.filter { !$0.isEmpty }
    if isProduction, entries.isEmpty { throw TrustProblem(.origins, "is not set") }
    var origins: [WebOrigin] = []
    for entry in entries { origins.append(try origin(entry)) }
    return TrustList(scheme: scheme, origins: origins)
  }

  /// Schemes that a browser answers itself.
  private static let webSchemes: Set = [
    "about", "blob", "data", "file", "ftp", "http", "https", "javascript", "ws", "wss",
  ]

  private func origin(_ entry: String) throws(TrustProblem) -> WebOrigin {
    guard !entry.contains("*") else { throw TrustProblem(.origins, "is a wildcard", entry: entry) }
    let origin: WebOrigin
    do throws(CallbackRefusal) {
      origin = try WebOrigin(entry)
    } catch {
      throw TrustProblem(.origins, "is no exact origin (\(error.part.rawValue))", entry: entry)
    }
    guard isProduction else { return origin }
    guard origin.scheme == "https" else {
      throw TrustProblem(.origins, "is not HTTPS", entry: entry)
    }
    guard !origin.isLocal else { throw TrustProblem(.origins, "is local", entry: entry) }
    return origin
  }
}

/// A setting that no list can be built from.
package struct TrustProblem: Error, Equatable, Sendable, CustomStringConvertible {
  package var field: TrustSettings.Field
  package var rule: String
  /// The part of the setting that breaks the rule; `nil` for the whole.
  package var entry: String?

  package init(_ field: TrustSettings.Field, _ rule: String, entry: String? = nil) {
    self.field = field
    self.rule = rule
    self.entry = entry
  }

  package var description: String {
    field.rawValue + (entry.map { ": '\($0)' " } ?? " ") + rule
  }
}

extension StringProtocol {
  /// Without blanks and tabs at both ends.
  fileprivate var trimmingBlanks: SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let head = drop(while: isBlank)
    return head[..<(head.lastIndex { !isBlank($0) }.map(head.index(after:)) ?? head.startIndex)]
  }
}
