/// The faults that the lab knows: the words after `lab inject`, and after `fault:` in a scenario.
///
/// A word names the thing and what happens to it.
package enum FaultKind: String, CaseIterable, Sendable {
  // A process ends.
  case kill
  case killBefore = "kill-before"

  // The power fails.
  case powerCut = "power-cut"
  case tornWrite = "torn-write"

  // A call is refused, cut short, slow, or answered falsely.
  case callError = "call-error"
  case shortRead = "short-read"
  case shortWrite = "short-write"
  case lie
  case delay
  case hold

  // Stored bytes change without a write.
  case bitFlip = "bit-flip"
  case truncate

  // The operating system does something.
  case keychainReset = "keychain-reset"
  case keystoreLoss = "keystore-loss"
  case lock
  case unlock
  case reboot
  case prewarm
  case uninstall
  case install
  case clearData = "clear-data"
  case biometricChange = "biometric-change"
  case diskFull = "disk-full"
  case diskFree = "disk-free"

  package enum Group: String, CaseIterable, Sendable {
    case process, power, call, data, system
  }

  package var group: Group {
    switch self {
    case .kill, .killBefore: .process
    case .powerCut, .tornWrite: .power
    case .callError, .shortRead, .shortWrite, .lie, .delay, .hold: .call
    case .bitFlip, .truncate: .data
    case .keychainReset, .keystoreLoss, .lock, .unlock, .reboot, .prewarm, .uninstall, .install,
      .clearData, .biometricChange, .diskFull, .diskFree:
      .system
    }
  }

  /// One line for `lab list faults`.
  package var summary: String {
    switch self {
    case .kill: "the app ends, after the operation was applied; the system's services go on"
    case .killBefore: "the app ends before its own operation is applied"
    case .powerCut: "all processes end; what was not durable may be lost"
    case .tornWrite: "only the first sectors of a write reach the medium, then the power fails"
    case .callError: "a file call is refused with an error that it can really give"
    case .shortRead: "a read returns fewer bytes than were asked for"
    case .shortWrite: "a write takes fewer bytes than were given"
    case .lie: "a call reports success and does nothing"
    case .delay: "a call takes longer"
    case .hold: "a call does not return until `lab faults --release`"
    case .bitFlip: "one stored bit changes without a write"
    case .truncate: "a stored file loses its end without a write"
    case .keychainReset: "the system forgets every keychain item (ios)"
    case .keystoreLoss: "the Keystore loses the app's keys; its files stay (android)"
    case .lock: "the screen locks: an iPhone's items for the unlocked phone become unreadable"
    case .unlock: "the owner unlocks the phone"
    case .reboot: "the phone restarts and waits for its first unlock"
    case .prewarm: "the phone restarts and starts the app before the first unlock (ios)"
    case .uninstall: "the app and its data go; an iPhone's keychain stays"
    case .install: "the app comes back, without any data"
    case .clearData: "the owner clears the app's data in the system's settings (android)"
    case .biometricChange: "a fingerprint or a face is added, or all are removed"
    case .diskFull: "no free space is left"
    case .diskFree: "there is free space again"
    }
  }

  /// Why it can happen to a phone, or that it cannot; stands beside every finding.
  package var rule: String {
    switch self {
    case .kill, .killBefore:
      "kill-between-calls: two native modules share no transaction, and the system may end a "
        + "suspended app between any two calls"
    case .powerCut:
      "power-cut: what no sync made durable may be lost, as the domain's persistence profile says "
        + "(lab list profiles)"
    case .tornWrite: "torn-write: a drive writes whole sectors, and a write of several may be cut"
    case .callError: "call-error: only errors that the call gives on a phone (lab list errors)"
    case .shortRead, .shortWrite:
      "short-transfer: read and write may take fewer bytes than asked; a caller has to go on"
    case .lie: "lying-storage: drives and libraries exist that report success too early"
    case .delay, .hold: "slow-storage: flash may take seconds when it cleans up"
    case .bitFlip, .truncate:
      "synthetic: bytes changed by hand, as bit rot or another program would"
    case .keychainReset:
      "keychain-reset: the keychain's service deletes a database that it finds corrupt"
    case .keystoreLoss:
      "keystore-loss: vendor faults of the Keystore lose keys; the app's files know nothing of it"
    case .lock, .unlock:
      "lock: an iPhone drops the keys of WHEN_UNLOCKED classes when it locks; Android drops none"
    case .reboot: "reboot: before the first unlock class keys, or the app's storage, are closed"
    case .prewarm: "prewarm: iOS may start an app ahead of its use, even before the first unlock"
    case .uninstall, .install:
      "reinstall: deleting an app removes its data; an iPhone keeps its keychain items, Android "
        + "clears its Keystore namespace"
    case .clearData: "clear-data: the system's settings offer it for every app"
    case .biometricChange:
      "biometric-change: it invalidates the keys that need a fingerprint or a face, and no others"
    case .diskFull, .diskFree: "disk-full: other apps and media fill the one shared volume"
    }
  }

  /// Whether it can happen at once, without a moment to wait for.
  package var canHappenNow: Bool {
    switch group {
    case .process: self == .kill
    case .power: self == .powerCut
    case .call: false
    case .data, .system: true
    }
  }

  package var parameters: [FaultParameter] {
    switch self {
    case .powerCut: [.survivors]
    case .tornWrite: [.sectors, .survivors]
    case .callError: [.code]
    case .shortRead, .shortWrite: [.bytes]
    case .delay: [.by]
    case .bitFlip: [.path, .byte, .bit]
    case .truncate: [.path, .to]
    case .diskFull: [.free]
    default: []
    }
  }
}

/// A value that belongs to a fault.
package enum FaultParameter: String, CaseIterable, Sendable {
  case survivors, sectors, code, bytes, by, path, byte, bit, to, free

  package var summary: String {
    switch self {
    case .survivors:
      "what a power cut leaves of what was not durable: none (default), issued (what a sync has "
        + "handed to the drive), all, seed:N (drawn), kept:0+2 (of all pending changes, counted from "
        + "0, these; 4:first3 or 4:last1 for some sectors of a write), or per half or domain: "
        + "key=none,rest=all"
    case .sectors: "how many 512-byte sectors of the write arrive"
    case .code: "the error, such as ENOSPC"
    case .bytes: "how many bytes are read or written"
    case .by: "how long, such as 200ms"
    case .path: "a file on the phone: its whole path, or a pattern such as manifest.json"
    case .byte: "the offset of the byte"
    case .bit: "the bit, 0 to 7"
    case .to: "the length that is left"
    case .free: "how many bytes stay free"
    }
  }

  /// The value when none is given; `nil` when one must be.
  package var fallback: String? {
    switch self {
    case .survivors: "none"
    case .sectors: "1"
    case .bytes, .byte, .bit, .to, .free: "0"
    case .code, .by, .path: nil
    }
  }
}
