/// The buttons of OAuth providers, from one variable of the build.
package struct ProviderList: Equatable, Sendable {
  package static let variable = "EXPO_PUBLIC_AUTH_OAUTH_PROVIDERS"
  /// The one provider with a path of its own.
  package static let apple = "apple"

  /// The providers' ids in the order of the variable, each once.
  package let ids: [String]

  /// Reads the variable: ids between commas, trimmed. Without any it is `google`.
  package init(_ text: String?) {
    var ids: [String] = []
    for part in (text ?? "").split(separator: ",") {
      let id = Self.trimmed(part)
      if !id.isEmpty, !ids.contains(id) { ids.append(id) }
    }
    self.ids = ids.isEmpty ? ["google"] : ids
  }

  /// The ids that the screen shows. Apple's comes first, and only where its sheet is.
  package func rendered(isIOS: Bool, isAppleAvailable: Bool) -> [String] {
    let others = ids.filter { $0 != Self.apple }
    return ids.contains(Self.apple) && isIOS && isAppleAvailable ? [Self.apple] + others : others
  }

  /// Whether the build keeps the entitlement of Sign in with Apple.
  package var needsAppleEntitlement: Bool { ids.contains(Self.apple) }

  /// The picture beside a label; the button works without one.
  package static func logo(_ id: String) -> String? {
    switch id {
    case "google", "facebook", "github": "\(id).webp"
    case "azure": "microsoft.webp"
    case _: nil
    }
  }

  /// What to ask a provider for beside the usual, as the web does.
  package static func scopes(_ id: String) -> String? { id == "azure" ? "email" : nil }

  /// The id with a capital, and without a trailing `.com`.
  package static func label(_ id: String) -> String {
    let name = id.hasSuffix(".com") ? id.dropLast(4) : id[...]
    return name.prefix(1).uppercased() + name.dropFirst()
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
