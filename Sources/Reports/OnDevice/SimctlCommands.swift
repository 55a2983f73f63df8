/// `xcrun simctl`: a simulator keeps both halves, and has neither locks nor power.
struct SimctlCommands: DeviceCommands {
  private static let noFiles = "a simulator cannot refuse or delay a call of an app"
  private static let container =
    #"container=$(xcrun simctl get_app_container booted "$app" data)"#
  private static let device =
    #"device=$(xcrun simctl list devices booted | sed -n 's/.*(\([0-9A-F-]\{36\}\)).*/\1/p' | head -n 1)"#

  private static let stop = #"xcrun simctl terminate booted "$app" || true"#
  private static let start = #"xcrun simctl launch booted "$app""#

  var launch: DeviceStep { .commands([Self.stop, Self.start]) }
  var foreground: DeviceStep { .commands([Self.start]) }
  var background: DeviceStep { .commands(["xcrun simctl launch booted com.apple.Preferences"]) }
  var openLink: DeviceStep {
    .byHand(
      "finish the sign-in in the browser, or open the address that it leads back to: "
        + "xcrun simctl openurl booted 'SCHEME://...'")
  }

  func clock(bySeconds seconds: Int64) -> DeviceStep {
    .nothing("a simulator has the Mac's clock; shorten the life of the server's tokens instead")
  }

  func snapshot(_ name: String, key: Bool, blob: Bool) -> DeviceStep {
    if key && blob {
      return .commands(
        [
          Self.device, #"xcrun simctl shutdown "$device""#,
          "xcrun simctl clone \"$device\" \(name.inQuotes)", #"xcrun simctl boot "$device""#,
        ], remark: "a clone of the whole simulator, keychain included")
    }
    guard blob else {
      return .nothing("the keychain of a simulator is one database for all apps")
    }
    return .commands([
      Self.stop, Self.container, "rsync -a --delete \"$container/\" \(name.inQuotes)/",
    ])
  }

  func restore(_ name: String, key: Bool, blob: Bool, onNewDevice: Bool) -> DeviceStep {
    if onNewDevice {
      return .nothing("a simulator has no backups; on a phone: an encrypted one, by the Finder")
    }
    if key && blob {
      return .commands(
        [Self.device, #"xcrun simctl shutdown "$device""#, "xcrun simctl boot \(name.inQuotes)"],
        remark: "goes on with the clone; unlike a backup it holds the keychain byte by byte")
    }
    guard blob else {
      return .nothing("the keychain of a simulator is one database for all apps")
    }
    return .commands([
      Self.stop, Self.container, "rsync -a --delete \(name.inQuotes)/ \"$container/\"",
    ])
  }

  func event(_ fault: PhoneFault) -> DeviceStep {
    switch fault {
    case .kill: .commands([Self.stop])
    case .powerCut:
      .nothing("a simulator writes into the Mac's files, whose caches survive it")
    case .fileCall: .nothing(Self.noFiles)
    case .flip(let path, let byte, let bit):
      .commands([
        Self.container, Self.find(path),
        "perl -e 'open F, \"+<\", shift; seek F, \(byte), 0; read F, $b, 1; seek F, \(byte), 0; "
          + "print F $b ^ chr(1 << \(bit))' \"$file\"",
      ])
    case .truncate(let path, let length):
      .commands([
        Self.container, Self.find(path), "perl -e 'truncate(shift, \(length))' \"$file\"",
      ])
    case .keychainReset:
      .commands(["xcrun simctl keychain booted reset"], remark: "all apps lose their items")
    case .keystoreLoss, .clearData, .prewarm:
      .nothing("no such event can be set off on an iOS simulator")
    case .lock, .unlock:
      .nothing("a simulator reads all items while it is locked; on a phone: its side button")
    case .reboot:
      .commands(
        [Self.device, #"xcrun simctl shutdown "$device""#, #"xcrun simctl boot "$device""#],
        remark: "a simulator waits for no first unlock")
    case .uninstall: .commands([#"xcrun simctl uninstall booted "$app""#])
    case .install: .byHand("give the build: xcrun simctl install booted PATH/Your.app")
    case .biometricChange:
      .commands([
        "xcrun simctl spawn booted notifyutil -s com.apple.BiometricKit.enrollmentChanged 1",
        "xcrun simctl spawn booted notifyutil -p com.apple.BiometricKit.enrollmentChanged",
      ])
    case .diskFull, .diskFree: .nothing("a simulator shares the Mac's disk")
    }
  }

  private static func find(_ path: String) -> String {
    "file=$(find \"$container\" -name \(PhoneFault.fileName(path).inQuotes) | head -n 1)"
  }
}
