import Chaos

/// A fault of a phone, by what a tool would have to do.
enum PhoneFault {
  case kill, powerCut
  case fileCall
  case flip(path: String, byte: Int, bit: Int)
  case truncate(path: String, to: Int)
  case keychainReset, keystoreLoss
  case lock, unlock, reboot, prewarm
  case uninstall, install, clearData, biometricChange
  case diskFull, diskFree

  /// - Returns: `nil` for a fault of a server.
  init?(_ request: FaultRequest) {
    switch request.kind {
    case .kill, .killBefore: self = .kill
    case .powerCut, .tornWrite: self = .powerCut
    case .callError, .shortRead, .shortWrite, .lie, .delay, .hold: self = .fileCall
    case .bitFlip:
      self = .flip(
        path: request.values.path, byte: request.values.byte, bit: request.values.bit)
    case .truncate: self = .truncate(path: request.values.path, to: request.values.length)
    case .keychainReset: self = .keychainReset
    case .keystoreLoss: self = .keystoreLoss
    case .lock: self = .lock
    case .unlock: self = .unlock
    case .reboot: self = .reboot
    case .prewarm: self = .prewarm
    case .uninstall: self = .uninstall
    case .install: self = .install
    case .clearData: self = .clearData
    case .biometricChange: self = .biometricChange
    case .diskFull: self = .diskFull
    case .diskFree: self = .diskFree
    case .loseRequest, .refuse, .loseReply, .hang, .lateReply, .errorReply, .htmlReply,
      .emptyReply, .cutReply, .noVersion, .numberCode, .textCode, .expiredTokens, .changeAddress,
      .serverClock, .revokeSession, .rotateElsewhere, .addFactor, .removeFactors, .deleteUser,
      .banUser:
      return nil
    }
  }

  /// The last part of a path of the lab's phone, or the pattern: a real phone has other folders above.
  static func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
