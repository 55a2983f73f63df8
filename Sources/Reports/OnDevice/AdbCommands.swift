/// `adb`: `run-as` reads and writes the data of a debuggable build; what needs root needs an emulator.
struct AdbCommands: DeviceCommands {
  private static let stop = #"adb shell am force-stop "$app""#
  private static let start =
    #"adb shell monkey -p "$app" -c android.intent.category.LAUNCHER 1 >/dev/null"#
  private static let root = "adb root && adb wait-for-device"

  var launch: DeviceStep { .commands([Self.stop, Self.start]) }
  var foreground: DeviceStep { .commands([Self.start]) }
  var background: DeviceStep { .commands(["adb shell input keyevent KEYCODE_HOME"]) }
  var openLink: DeviceStep {
    .byHand(
      "finish the sign-in in the browser, or open the address that it leads back to: "
        + "adb shell am start -a android.intent.action.VIEW -d 'SCHEME://...'")
  }

  func clock(bySeconds seconds: Int64) -> DeviceStep {
    let sum = seconds < 0 ? "- \(-seconds)" : "+ \(seconds)"
    return .commands(
      [
        "adb shell settings put global auto_time 0", Self.root,
        "adb shell date @$(($(adb shell date +%s) \(sum)))",
      ], remark: "afterwards: adb shell settings put global auto_time 1")
  }

  func snapshot(_ name: String, key: Bool, blob: Bool) -> DeviceStep {
    .commands(
      [
        Self.stop,
        "adb exec-out run-as \"$app\" tar -cf - \(Self.folders(key, blob)) > "
          + "\("\(name).tar".inQuotes)",
      ], remark: key ? "the files; keys of the Keystore never leave it" : nil)
  }

  func restore(_ name: String, key: Bool, blob: Bool, onNewDevice: Bool) -> DeviceStep {
    let folders = Self.folders(key, blob)
    let unpack = "adb shell run-as \"$app\" tar -xf - < \("\(name).tar".inQuotes)"
    if onNewDevice {
      return .commands(
        [#"adb shell pm clear "$app""#, unpack],
        remark:
          "clearing an app removes its keys, as a new phone has none; rules of backups are not "
          + "followed: for those adb shell bmgr backupnow, uninstall, install")
    }
    let empty = folders == "." ? "files databases shared_prefs no_backup" : folders
    return .commands([Self.stop, "adb shell run-as \"$app\" rm -rf \(empty)", unpack])
  }

  func event(_ fault: PhoneFault) -> DeviceStep {
    switch fault {
    case .kill: .commands([Self.stop])
    case .powerCut:
      .commands(
        [Self.root, #"adb shell "echo b > /proc/sysrq-trigger""#, "adb wait-for-device"],
        remark: "an emulator reboots at once, and syncs nothing; which writes survive is its choice"
      )
    case .fileCall: .nothing("adb cannot refuse or delay a call of an app")
    case .flip(let path, let byte, let bit):
      .byHand(
        "flip bit \(bit) of byte \(byte) of \(PhoneFault.fileName(path)): pull it with adb exec-out "
          + "run-as, change it, and put it back", then: [])
    case .truncate(let path, let length):
      .commands([
        "file=$(adb shell run-as \"$app\" find . -name \(PhoneFault.fileName(path).inQuotes) "
          + "| head -n 1)", "adb shell run-as \"$app\" truncate -s \(length) \"$file\"",
      ])
    case .keychainReset, .prewarm: .nothing("no such event on Android")
    case .keystoreLoss:
      .commands(
        [
          Self.stop, #"adb exec-out run-as "$app" tar -cf - . > lab-keystore-loss.tar"#,
          #"adb shell pm clear "$app""#,
          #"adb shell run-as "$app" tar -xf - < lab-keystore-loss.tar"#,
        ], remark: "clearing an app removes its keys; its files come back")
    case .lock: .commands(["adb shell input keyevent KEYCODE_SLEEP"])
    case .unlock:
      .commands(
        ["adb shell input keyevent KEYCODE_WAKEUP", "adb shell wm dismiss-keyguard"],
        remark: "with a PIN: adb shell input text PIN, adb shell input keyevent KEYCODE_ENTER")
    case .reboot: .commands(["adb reboot", "adb wait-for-device"])
    case .uninstall: .commands([#"adb uninstall "$app""#])
    case .install: .byHand("give the build: adb install PATH/your.apk")
    case .clearData: .commands([#"adb shell pm clear "$app""#])
    case .biometricChange:
      .byHand(
        "add or remove a fingerprint on the screen that opens",
        then: ["adb shell am start -a android.settings.SECURITY_SETTINGS"])
    case .diskFull:
      .commands(
        ["adb shell \"dd if=/dev/zero of=/data/local/tmp/lab.fill bs=1048576\" || true"],
        remark: "ends when no space is left")
    case .diskFree: .commands(["adb shell rm -f /data/local/tmp/lab.fill"])
    }
  }

  /// Where the halves lie below the app's folder.
  private static func folders(_ key: Bool, _ blob: Bool) -> String {
    key == blob ? "." : key ? "shared_prefs" : "databases files"
  }
}
