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

  // Something goes wrong with one request to the auth server.
  case loseRequest = "lose-request"
  case refuse
  case loseReply = "lose-reply"
  case hang
  case lateReply = "late-reply"
  case errorReply = "error-reply"
  case htmlReply = "html-reply"
  case emptyReply = "empty-reply"
  case cutReply = "cut-reply"
  case noVersion = "no-version"
  case numberCode = "number-code"
  case textCode = "text-code"
  case expiredTokens = "expired-tokens"
  case changeAddress = "change-address"

  // Something happens on the auth server, whoever asks it.
  case serverClock = "server-clock"
  case revokeSession = "revoke-session"
  case rotateElsewhere = "rotate-elsewhere"
  case addFactor = "add-factor"
  case removeFactors = "remove-factors"
  case deleteUser = "delete-user"
  case banUser = "ban-user"

  package enum Group: String, CaseIterable, Sendable {
    case process, power, call, data, system
    /// At an auth server's requests; such a fault happens to no phone.
    case request
    /// On an auth server.
    case server
  }

  /// Those that happen to a phone.
  package static let onPhones = allCases.filter { !$0.isOnServer }

  /// Whether it happens to an auth server, not to a phone.
  package var isOnServer: Bool { group == .request || group == .server }

  package var group: Group {
    switch self {
    case .kill, .killBefore: .process
    case .powerCut, .tornWrite: .power
    case .callError, .shortRead, .shortWrite, .lie, .delay, .hold: .call
    case .bitFlip, .truncate: .data
    case .keychainReset, .keystoreLoss, .lock, .unlock, .reboot, .prewarm, .uninstall, .install,
      .clearData, .biometricChange, .diskFull, .diskFree:
      .system
    case .loseRequest, .refuse, .loseReply, .hang, .lateReply, .errorReply, .htmlReply,
      .emptyReply, .cutReply, .noVersion, .numberCode, .textCode, .expiredTokens, .changeAddress:
      .request
    case .serverClock, .revokeSession, .rotateElsewhere, .addFactor, .removeFactors, .deleteUser,
      .banUser:
      .server
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
    case .loseRequest: "a request is lost on its way; the server does nothing"
    case .refuse: "the server refuses a request and does nothing for it: limits, outages, a portal"
    case .loseReply: "the server does what it was asked for, and its reply is lost"
    case .hang: "the server does what it was asked for; no reply comes, and no end"
    case .lateReply: "the server does what it was asked for, and its reply comes later"
    case .errorReply: "the server does what it was asked for, and the reply says that it failed"
    case .htmlReply: "the reply's body is a page of some proxy"
    case .emptyReply: "the reply has no body"
    case .cutReply: "the reply's body ends in its middle"
    case .noVersion: "the reply does not name the version of its API"
    case .numberCode: "an error's code is its status, whatever version was asked for"
    case .textCode: "an error's code is a word, whatever version was asked for"
    case .expiredTokens: "the tokens that are handed out have expired already"
    case .changeAddress: "the request comes from another address"
    case .serverClock: "the server's clock jumps; the phone's does not"
    case .revokeSession: "all sessions of a user are ended on the server"
    case .rotateElsewhere: "a second copy of the app refreshes a user's session"
    case .addFactor: "a user sets up a factor somewhere else"
    case .removeFactors: "a user's factors are removed somewhere else"
    case .deleteUser: "a user's account is deleted"
    case .banUser: "a user is banned"
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
    case .loseRequest, .loseReply, .hang, .lateReply:
      "lossy-network: a mobile network loses requests and replies, and delays both"
    case .refuse, .errorReply: "server-error: limits and outages, also of a gateway behind the work"
    case .htmlReply, .emptyReply, .cutReply, .noVersion, .numberCode, .textCode:
      "proxy: portals and gateways answer in the server's place, and change what it says"
    case .expiredTokens, .serverClock: "skew: the clocks of servers and phones differ"
    case .changeAddress: "roaming: a phone changes its network between two requests"
    case .revokeSession, .deleteUser, .banUser:
      "administration: sessions and accounts end without the phone"
    case .rotateElsewhere:
      "second-copy: a restored phone, an extension or a web view refreshes, too"
    case .addFactor, .removeFactors: "second-device: a person changes factors on another device"
    }
  }

  /// Whether it can happen at once, without a moment to wait for.
  package var canHappenNow: Bool {
    switch group {
    case .process: self == .kill
    case .power: self == .powerCut
    case .call, .request: false
    case .data, .system, .server: true
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
    case .refuse: [.status, .code] + Self.place
    case .errorReply, .htmlReply: [.status] + Self.place
    case .lateReply, .serverClock: [.by] + Self.place
    case .changeAddress: [.address] + Self.place
    case .rotateElsewhere: [.rotations, .user] + Self.place
    case .loseRequest, .loseReply, .hang, .emptyReply, .cutReply, .noVersion, .numberCode,
      .textCode, .expiredTokens:
      Self.place
    case .revokeSession, .addFactor, .removeFactors, .deleteUser, .banUser: [.user] + Self.place
    case .kill, .killBefore, .lie, .hold, .keychainReset, .keystoreLoss, .lock, .unlock, .reboot,
      .prewarm, .uninstall, .install, .clearData, .biometricChange, .diskFree:
      []
    }
  }

  /// Which requests a server's fault waits for.
  private static let place: [FaultParameter] = [.path, .method]

  /// The value of a parameter when none is given; `nil` when one must be.
  package func fallback(_ parameter: FaultParameter) -> String? {
    switch parameter {
    case .survivors: "none"
    case .sectors, .rotations: "1"
    case .bytes, .byte, .bit, .to, .free: "0"
    case .status: self == .refuse ? "429" : self == .htmlReply ? "*" : "500"
    case .user: "*"
    case .path, .method: isOnServer ? "*" : nil
    case .code: isOnServer ? "*" : nil
    case .address: "192.0.2.99"
    case .by: nil
    }
  }
}

/// A value that belongs to a fault.
package enum FaultParameter: String, CaseIterable, Sendable {
  case survivors, sectors, code, bytes, by, path, byte, bit, to, free
  case status, rotations, address, user, method

  package var summary: String {
    switch self {
    case .survivors:
      "what a power cut leaves of what was not durable: none (default), issued (what a sync has "
        + "handed to the drive), all, seed:N (drawn), kept:0+2 (of all pending changes, counted from "
        + "0, these; 4:first3 or 4:last1 for some sectors of a write), or per half or domain: "
        + "key=none,rest=all"
    case .sectors: "how many 512-byte sectors of the write arrive"
    case .code:
      "the error, such as ENOSPC; of a server, such as over_request_rate_limit (default: the one "
        + "that goes with the status)"
    case .bytes: "how many bytes are read or written"
    case .by: "how long, such as 200ms; of a clock how far, such as +1h"
    case .path:
      "a file on the phone: its whole path, or a pattern such as manifest.json; of a server's "
        + "requests, such as /token or /token?grant_type=refresh_token (default: any)"
    case .byte: "the offset of the byte"
    case .bit: "the bit, 0 to 7"
    case .to: "the length that is left"
    case .free: "how many bytes stay free"
    case .status:
      "the status of a reply: 400 to 599 (default: 429 when refused, else 500; html-reply leaves the "
        + "server's, and with one the page comes in the server's place)"
    case .rotations: "how often it is refreshed there (default 1)"
    case .address: "where the request seems to come from (default 192.0.2.99)"
    case .user:
      "the address of a user (default: every user at once; with --at or --path that of the request)"
    case .method: "of a server's requests, such as POST (default: any)"
    }
  }
}
