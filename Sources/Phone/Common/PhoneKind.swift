package import JSON
package import Ports

/// The phones that are modelled.
package enum PhoneKind: String, CaseIterable, Sendable {
  case ios
  case android

  package var summary: String {
    switch self {
    case .ios: "an iPhone: keychain and AsyncStorage, each with its real files"
    case .android: "an Android phone: SecureStore over the Keystore, and AsyncStorage on SQLite"
    }
  }

  /// The settings that this phone has.
  package var knobs: [Knob] {
    switch self {
    case .ios: IOSSettings.knobs
    case .android: AndroidSettings.knobs
    }
  }

  /// The service that keeps its keys: `keychain`, `keystore`.
  package var serviceName: String {
    switch self {
    case .ios: "keychain"
    case .android: "keystore"
    }
  }

  /// A phone that was set up, unlocked, and has had the app installed once.
  ///
  /// - Parameter chosen: Values of knobs, by name; names of other phones' knobs are passed over.
  /// - Returns: The phone.
  /// - Throws: ``KnobError`` for a bad value, `CryptoError` when the library lacks a digest.
  package func phone(_ chosen: [String: String]) throws -> any PhoneModel {
    switch self {
    case .ios: try IOSPhone(settings: IOSSettings(chosen))
    case .android: AndroidPhone(settings: try AndroidSettings(chosen))
    }
  }

  /// The phone that ``PhoneModel/stored`` came from; the settings are given anew.
  ///
  /// - Throws: `JSONError` when the text is not one, or as ``phone(_:)``.
  package static func phone(stored text: String, _ chosen: [String: String]) throws
    -> any PhoneModel
  {
    switch try kind(stored: text) {
    case .ios: try IOSPhone(stored: text, settings: IOSSettings(chosen))
    case .android: try AndroidPhone(stored: text, settings: AndroidSettings(chosen))
    }
  }

  /// Which phone a text of ``PhoneModel/stored`` came from.
  package static func kind(stored text: String) throws(JSONError) -> PhoneKind {
    let members = try JSONReader.read(text).members()
    guard let phone = members.first(where: { $0.key == "phone" }) else { return .ios }
    return try phone.node.word("phone", as: PhoneKind.self)
  }
}

/// What the app's native modules and the phone's service stand on.
package struct PhonePorts {
  package var files: any FileSystem
  package var entropy: any Entropy
  package var clock: any WallClock
  package var console: any Console

  package init(
    files: any FileSystem, entropy: any Entropy, clock: any WallClock, console: any Console
  ) {
    self.files = files
    self.entropy = entropy
    self.clock = clock
    self.console = console
  }
}

/// What belongs to one launch of a process of the phone.
package struct PhoneLaunch: Sendable {
  /// Values of knobs, by name.
  package var chosen: [String: String] = [:]
  /// The process number in the names of temporary files.
  package var processNumber: Int32 = 1

  package init() {}
}

/// The two native modules of one launch of the app.
package struct NativeModules {
  package let secure: any SecureStorage
  package let plain: any PlainStorage
}

extension PhoneKind {
  /// Makes the app's native modules for one launch.
  ///
  /// - Throws: ``AppNotInstalled``; or why the storage cannot be seen.
  package func modules(
    on ports: PhonePorts, daemon: any SystemDaemon, points: any TracePoint,
    crashes: any CrashHandler, _ launch: PhoneLaunch
  ) throws -> NativeModules {
    switch self {
    case .ios: try IOSPhone.modules(on: ports, daemon, points, launch)
    case .android:
      try AndroidPhone.modules(on: ports, daemon, points, crashes: crashes, launch)
    }
  }

  /// Makes the service that keeps the phone's keys; it opens its files at the first request.
  ///
  /// - Throws: ``KnobError`` for a bad value.
  package func service(
    on ports: PhonePorts, lockState: LockState, _ launch: PhoneLaunch
  ) throws -> any PhoneService {
    switch self {
    case .ios: try IOSPhone.service(on: ports, lockState, launch)
    case .android: try AndroidPhone.service(on: ports, lockState, launch)
    }
  }
}

/// The app was uninstalled, and something wanted to launch it.
package struct AppNotInstalled: Error, CustomStringConvertible {
  package var description: String {
    "the app is not installed on this phone; install it first"
  }
}
