import Phone

/// Commands of a Maestro flow, which drives both kinds of phone by their screens.
struct MaestroCommands: DeviceCommands {
  let phone: PhoneKind

  var launch: DeviceStep { .commands(["- launchApp"]) }
  var foreground: DeviceStep { .commands(["- launchApp:", "    stopApp: false"]) }
  var background: DeviceStep { .commands(["- pressKey: Home"]) }
  var openLink: DeviceStep {
    .byHand("the way through the browser", then: ["- runFlow: callback.yaml"])
  }

  func clock(bySeconds seconds: Int64) -> DeviceStep {
    .nothing("a flow cannot set the clock" + (phone == .android ? "; --as adb can" : ""))
  }

  func snapshot(_ name: String, key: Bool, blob: Bool) -> DeviceStep {
    .nothing("a flow cannot copy an app's data; --as \(other) can")
  }

  func restore(_ name: String, key: Bool, blob: Bool, onNewDevice: Bool) -> DeviceStep {
    .nothing("a flow cannot bring an app's data back; --as \(other) can")
  }

  func event(_ fault: PhoneFault) -> DeviceStep {
    switch fault {
    case .kill: .commands(["- stopApp"])
    case .keychainReset:
      .commands(["- clearKeychain"], remark: "all apps lose their items")
    case .clearData: .commands(["- clearState"])
    case .lock: .commands(["- pressKey: Lock"])
    case .unlock:
      phone == .android
        ? .commands(["- pressKey: Power"], remark: "a PIN is typed by your own flow")
        : .nothing("a flow cannot unlock an iPhone")
    case .powerCut, .fileCall, .flip, .truncate, .keystoreLoss, .reboot, .prewarm, .uninstall,
      .install, .biometricChange, .diskFull, .diskFree:
      .nothing("a flow cannot do this; see --as \(other)")
    }
  }

  private var other: String { phone == .ios ? "simctl" : "adb" }
}
