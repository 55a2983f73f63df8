/// The knobs of phone, libraries and client that a scenario may turn; each has a documented default.
package struct ScenarioSettings: Equatable, Sendable {
  package enum Key: String, CaseIterable, Sendable {
    case asyncStorage
    case accessibility
    case backup
    case sdk
    case session
    case sizeRule
    case profile

    /// The values that it may have; the first is the default.
    package var values: [String] {
      switch self {
      case .asyncStorage: ["v2", "v3"]
      case .accessibility: ["whenUnlocked", "afterFirstUnlock", "whenUnlockedThisDeviceOnly"]
      case .backup: ["excluded", "included"]
      case .sdk: ["2.112", "2.106", "2.105.3"]
      case .session: ["standard", "compact"]
      case .sizeRule: ["warn", "off", "enforce"]
      case .profile:
        ["phone", "strict", "atomic-item", "ordered", "f2fs", "apfs", "posix-weak", "fsync-lies"]
      }
    }

    package var meaning: String {
      switch self {
      case .asyncStorage: "the version of AsyncStorage"
      case .accessibility: "when a keychain item can be read, and whether it migrates"
      case .backup: "whether a backup of the phone holds AsyncStorage's files"
      case .sdk: "the client library, which decides what becomes of an unreadable session"
      case .session: "the size of the session text: about 4 KB, or under 2,048 bytes"
      case .sizeRule: "what SecureStore does with more than 2,048 bytes"
      case .profile: "what the device promises about a power cut; 'phone' is the phone's own"
      }
    }
  }

  private var chosen: [Key: String] = [:]

  package init() {}

  package subscript(key: Key) -> String {
    get { chosen[key] ?? key.values[0] }
    set { chosen[key] = newValue }
  }
}
