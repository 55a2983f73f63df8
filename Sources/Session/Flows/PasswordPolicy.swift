/// Which classes of characters a new password must have, beside the length.
package struct PasswordRequirements: Hashable, Sendable {
  package var specialCharacters = false
  package var digits = false
  package var upperCase = false

  package static let none = PasswordRequirements()
  /// What counts as special, as on the web.
  private static let specials = #"!@#$%^&*(),.?":{}|<>"#

  package init(specialCharacters: Bool = false, digits: Bool = false, upperCase: Bool = false) {
    self.specialCharacters = specialCharacters
    self.digits = digits
    self.upperCase = upperCase
  }

  /// Reads the variables of the build: each is on only if it is the text `true`, letter by letter.
  package init(environment: [String: String]) {
    func isOn(_ name: String) -> Bool {
      environment["EXPO_PUBLIC_PASSWORD_REQUIRE_\(name)"] == "true"
    }
    self.init(
      specialCharacters: isOn("SPECIAL_CHARS"), digits: isOn("NUMBERS"),
      upperCase: isOn("UPPERCASE"))
  }

  func problems(_ password: String) -> [PasswordProblem] {
    var problems: [PasswordProblem] = []
    if specialCharacters, !password.contains(where: { Self.specials.contains($0) }) {
      problems.append(.specialCharacterMissing)
    }
    if digits, !password.contains(where: { ("0"..."9").contains($0) }) {
      problems.append(.digitMissing)
    }
    if upperCase, !password.contains(where: { ("A"..."Z").contains($0) }) {
      problems.append(.upperCaseMissing)
    }
    return problems
  }
}

/// What a form says of its fields, as the keys of the web.
package enum PasswordProblem: String, Sendable {
  case invalidEmail = "auth.errors.invalidEmail"
  case tooShort = "auth.errors.passwordTooShort"
  case tooLong = "auth.errors.passwordTooLong"
  case specialCharacterMissing = "auth.errors.minPasswordSpecialChars"
  case digitMissing = "auth.errors.minPasswordNumbers"
  case upperCaseMissing = "auth.errors.uppercasePassword"
  case notRepeated = "auth.errors.passwordsDoNotMatch"
}

/// The rules of one form. They bind this app only: who talks to the server directly is bound by the
/// server alone.
package enum PasswordSchema: Sendable {
  case signIn
  case signUp(PasswordRequirements, AppProfile)
  /// The form of a recovery.
  case reset(PasswordRequirements, AppProfile)
  /// The form of the settings, which knows no requirements.
  case settings

  static let lengthMin = 8
  static let lengthMax = 99
  /// What the server's hash takes; it refuses more.
  static let bytesMax = 72

  package func problems(
    _ credentials: Credentials, repeated: String? = nil
  ) -> [PasswordProblem] {
    (Self.isMail(credentials.email) ? [] : [.invalidEmail])
      + problems(credentials.password, repeated: repeated)
  }

  package func problems(_ password: String, repeated: String? = nil) -> [PasswordProblem] {
    var problems: [PasswordProblem] = []
    // JavaScript counts UTF-16 code units.
    let length = password.utf16.count
    if length < Self.lengthMin { problems.append(.tooShort) }
    switch self {
    case .settings: break
    case .signIn:
      if length > Self.lengthMax { problems.append(.tooLong) }
    case .signUp(let requirements, let profile), .reset(let requirements, let profile):
      if length > Self.lengthMax
        || (profile == .hardened && password.utf8.count > Self.bytesMax)
      {
        problems.append(.tooLong)
      }
      problems += requirements.problems(password)
    }
    if let repeated, repeated != password { problems.append(.notRepeated) }
    return problems
  }

  private static func isMail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
      && !parts[1].hasPrefix(".") && !parts[1].hasSuffix(".")
      && !text.contains(where: \.isWhitespace)
  }
}

/// What a server may require of a password, in four steps: no three flags say the same.
package enum PasswordLadder: Int, CaseIterable, Sendable {
  case nothing, lettersAndDigits, bothCasesAndDigits, bothCasesDigitsAndSymbols

  /// Classes of characters, as a password has them or a rule asks for them.
  package struct Classes: OptionSet, Hashable, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let lower = Classes(rawValue: 1)
    package static let upper = Classes(rawValue: 2)
    package static let digit = Classes(rawValue: 4)
    package static let symbol = Classes(rawValue: 8)
  }

  package func accepts(_ classes: Classes) -> Bool {
    switch self {
    case .nothing: true
    case .lettersAndDigits:
      classes.contains(.digit) && !classes.isDisjoint(with: [.lower, .upper])
    case .bothCasesAndDigits: classes.isSuperset(of: [.lower, .upper, .digit])
    case .bothCasesDigitsAndSymbols:
      classes.isSuperset(of: [.lower, .upper, .digit, .symbol])
    }
  }

  /// The kinds of passwords on which the app's flags and this step disagree.
  package func mismatches(_ requirements: PasswordRequirements) -> [Classes] {
    var needed: Classes = []
    if requirements.specialCharacters { needed.insert(.symbol) }
    if requirements.digits { needed.insert(.digit) }
    if requirements.upperCase { needed.insert(.upper) }
    return (1..<16).map(Classes.init).filter { $0.isSuperset(of: needed) != accepts($0) }
  }
}
