import Device
import JSON
import Phone
import Ports

/// What may happen in a random history, in the order of its rounds. What cannot happen, for want of
/// a file or an operation, is a kill instead.
///
/// A store that is right survives each. So nothing here ends a session that no store could keep: two
/// refreshes that were lost in a row, or a read that Android's SecureStore takes for an empty file.
enum RandomEvent: CaseIterable {
  case kill, powerCut, lockedRead, killBefore, signOut, cutAfterwards, tooLarge, refusedCall
  case keyLoss, otherKill, damage, lockedSave, fullDisk, otherCut, restore, reboot

  /// What the whole history runs with. On a full disk of Android the SecureStore that checks its
  /// commits: the other one reports as stored what it did not store.
  func settings(on phone: PhoneKind) -> JSONValue {
    self == .fullDisk && phone == .android
      ? ["secureStore": "commit-checked"] : .object(JSONObject())
  }

  /// Where an event is, with the members of a step or as steps of its own.
  enum Placed {
    case nothing
    case inRefresh([JSONObject.Member])
    case afterwards([JSONValue])
  }

  func drawn(
    _ draws: inout Draws, _ recording: RandomHistory.Recording, on phone: PhoneKind,
    generation: Int
  ) -> Placed {
    let next: JSONValue = ["do": "refresh", "to": .integer(generation + 1)]
    switch self {
    case .kill, .otherKill: return Self.kill("kill", &draws, recording)
    case .killBefore: return Self.kill("kill-before", &draws, recording)
    case .powerCut, .otherCut:
      return .inRefresh([
        Self.member("fault", "power-cut@\(Self.moment(&draws, recording))"),
        Self.survivors(&draws),
      ])
    case .cutAfterwards:
      return .afterwards([
        .object(JSONObject([Self.member("fault", "power-cut"), Self.survivors(&draws)]))
      ])
    case .refusedCall:
      return Self.refusal(&draws, recording) ?? Self.kill("kill", &draws, recording)
    case .damage: return Self.damage(&draws, recording) ?? Self.kill("kill", &draws, recording)
    case .lockedRead: return .afterwards([Self.lock, Self.launch, Self.unlock])
    case .lockedSave: return .afterwards([Self.lock, next, Self.unlock])
    case .reboot: return .afterwards([["do": "reboot"], Self.launch, Self.unlock])
    case .signOut: return .afterwards([["do": "sign-out"]])
    case .tooLarge:
      return .afterwards([["do": "update", "settings": ["sizeRule": "enforce"]], next])
    case .fullDisk:
      return .afterwards([
        ["do": "sign-out"], ["do": "disk-full"], ["do": "sign-in"], ["do": "disk-free"],
      ])
    case .keyLoss:
      return .afterwards([["fault": phone == .ios ? "keychain-reset" : "keystore-loss"]])
    case .restore:
      let device: JSONValue = draws.below(2) == 0 ? "same" : "new"
      return .afterwards([["do": "restore", "name": "backup", "device": device]])
    }
  }

  private static let lock: JSONValue = ["do": "lock"]
  private static let unlock: JSONValue = ["do": "unlock"]
  private static let launch: JSONValue = ["do": "launch"]

  private static func member(_ key: String, _ text: String) -> JSONObject.Member {
    .init(key: key, value: .text(text))
  }

  private static func survivors(_ draws: inout Draws) -> JSONObject.Member {
    member("survivors", "seed:\(draws.next())")
  }

  private static func kill(
    _ word: String, _ draws: inout Draws, _ recording: RandomHistory.Recording
  ) -> Placed {
    .inRefresh([member("fault", "\(word)@\(moment(&draws, recording))")])
  }

  /// A point that the step reached, or one of its operations.
  private static func moment(
    _ draws: inout Draws, _ recording: RandomHistory.Recording
  ) -> String {
    guard recording.points.isEmpty || draws.below(3) == 0 else {
      return recording.points[draws.below(recording.points.count)].text
    }
    return "op:\(1 + draws.below(max(1, recording.operations.count)))"
  }

  /// An operation of the step is refused with an error that it can give.
  private static func refusal(
    _ draws: inout Draws, _ recording: RandomHistory.Recording
  ) -> Placed? {
    let refusable = recording.operations.indices.filter {
      !LegalErrors.reasons(for: recording.operations[$0]).isEmpty
    }
    guard !refusable.isEmpty else { return nil }
    let index = refusable[draws.below(refusable.count)]
    let reasons = LegalErrors.reasons(for: recording.operations[index])
    return .inRefresh([
      member("fault", "call-error@op:\(index + 1)"),
      member("code", reasons[draws.below(reasons.count)].error.symbol),
    ])
  }

  /// A file of the blob half loses its end.
  private static func damage(
    _ draws: inout Draws, _ recording: RandomHistory.Recording
  ) -> Placed? {
    guard let file = recording.blobFiles.max(by: { $0.bytes < $1.bytes }), file.bytes > 1 else {
      return nil
    }
    let length = file.bytes / 2 + draws.below(file.bytes / 2)
    return .afterwards([
      ["fault": "truncate", "path": .text(file.path), "to": .integer(length)]
    ])
  }
}
