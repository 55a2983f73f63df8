extension FaultKind {
  /// Whether no phone comes to the state by itself.
  package var isSynthetic: Bool { group == .data }

  /// Where the rule was read; `nil` for one that the lab assumes.
  package var source: String? {
    switch self {
    case .kill, .killBefore:
      "Apple, Managing your app's life cycle; Android, Processes and app lifecycle"
    case .powerCut, .tornWrite:
      "Pillai and others, All File Systems Are Not Created Equal (OSDI 2014); SQLite, Atomic "
        + "Commit; fsync(2) of macOS"
    case .callError, .shortRead, .shortWrite: "POSIX.1, read(), write(), fsync() and rename()"
    case .lie:
      "fsync(2) of macOS; Zheng and others, Understanding the Robustness of SSDs under Power Fault "
        + "(FAST 2013)"
    case .keychainReset: "apple-oss-distributions/Security, OSX/utilities/SecDb.c"
    case .keystoreLoss:
      "expo/expo, issues of expo-secure-store on entries that cannot be decrypted"
    case .lock: "apple-oss-distributions/Security, keychain/headers/SecItem.h"
    case .reboot:
      "Apple Platform Security, Data Protection classes; Android, Support Direct Boot mode"
    case .prewarm: "Apple, About the app launch sequence"
    case .uninstall, .install: "expo/expo, docs/pages/versions/unversioned/sdk/securestore.mdx"
    case .biometricChange: "Android, KeyPermanentlyInvalidatedException; Apple, SecAccessControl"
    case .diskFull, .diskFree: "POSIX.1, write(): ENOSPC"
    case .loseRequest, .loseReply, .hang, .lateReply: "RFC 9110, 9.2.2: when a reply is lost"
    case .refuse, .errorReply: "RFC 6585, 4: too many requests; RFC 9110, 15.6: server errors"
    case .htmlReply, .emptyReply, .cutReply:
      "RFC 6585, appendix B: captive portals; RFC 9112, 8: incomplete messages"
    case .expiredTokens, .serverClock: "RFC 7519, 4.1.4: clocks differ"
    case .noVersion, .numberCode, .textCode: "supabase/supabase-js, packages/core/auth-js"
    case .bitFlip, .truncate, .delay, .hold, .unlock, .clearData, .changeAddress, .revokeSession,
      .rotateElsewhere, .addFactor, .removeFactors, .deleteUser, .banUser:
      nil
    }
  }
}
