package import Phone

/// What drives a real simulator, emulator or phone.
package enum DeviceTool: String, CaseIterable, Sendable {
  case maestro, simctl, adb

  /// The phones that it can drive.
  package var phones: [PhoneKind] {
    switch self {
    case .maestro: [.ios, .android]
    case .simctl: [.ios]
    case .adb: [.android]
    }
  }

  var title: String {
    switch self {
    case .maestro: "a Maestro flow"
    case .simctl: "xcrun simctl, on a booted iOS simulator"
    case .adb: "adb, on an emulator or a phone with a debuggable build"
    }
  }
}

/// What comes closest to one thing that happens.
enum DeviceStep {
  /// The tool can do it; the remark says in what it differs.
  case commands([String], remark: String? = nil)
  /// A person does it; the commands come behind that.
  case byHand(String, then: [String] = [])
  /// There is nothing like it, and why.
  case nothing(String)
}

/// The words of one tool for what happens on a phone.
protocol DeviceCommands {
  /// Starts the app anew.
  var launch: DeviceStep { get }
  /// Brings it back as it is.
  var foreground: DeviceStep { get }
  var background: DeviceStep { get }
  var openLink: DeviceStep { get }

  /// Moves the phone's clock.
  func clock(bySeconds seconds: Int64) -> DeviceStep
  func snapshot(_ name: String, key: Bool, blob: Bool) -> DeviceStep
  func restore(_ name: String, key: Bool, blob: Bool, onNewDevice: Bool) -> DeviceStep
  /// An event of a phone; those of servers need no tool.
  func event(_ fault: PhoneFault) -> DeviceStep
}
