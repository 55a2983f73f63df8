import Device

/// The histories in which a comparison lets a fault happen.
enum FaultyWorkload {
  /// A sign-in and two refreshes, with time between them for everything to become durable.
  static let saves: [Scenario.Step] = [
    .init(.signIn), pause, .init(.refresh(to: 2)), pause, .init(.refresh(to: 3)),
  ]

  /// The positions of the saves among the steps.
  static let saveSteps = [0, 2, 4]

  private static let pause = Scenario.Step(.clock(byMs: 55 * 60_000))
  private static let launches = Scenario.Step(.launch(times: 2))

  // MARK: - Faults that hit an operation

  /// A fault at each operation of a save that it can happen to.
  ///
  /// - Parameters:
  ///   - fault: What happens.
  ///   - kinds: The operations of the save, in order.
  ///   - save: Which save, from 0.
  /// - Returns: The histories, each of which ends with the save that was hit.
  static func histories(
    _ fault: FaultKind, hitting kinds: [OperationKind], ofSave save: Int
  ) -> [[Scenario.Step]] {
    let step = saveSteps[save]
    return kinds.enumerated().flatMap { index, kind in
      requests(fault, at: index + 1, on: kind).map { request in
        saves[..<step] + [Scenario.Step(saves[step].action, fault: request), launches]
      }
    }
  }

  private static func requests(
    _ fault: FaultKind, at number: Int, on kind: OperationKind
  ) -> [FaultRequest] {
    let values: [[String: String]] =
      switch fault {
      case .callError: LegalErrors.reasons(for: kind).map { ["code": $0.error.symbol] }
      case .tornWrite: [["survivors": "none"], ["survivors": "all"]]
      case .shortRead: kind == .read ? [["bytes": "1"]] : []
      case .shortWrite: kind == .write ? [["bytes": "1"]] : []
      case .delay: [["by": "200ms"]]
      default: [[:]]
      }
    return values.map { request(fault, at: "op:\(number)", $0) }
      .filter { $0.armed()?.effect.applies(to: kind) == true }
  }

  // MARK: - Bytes that change

  /// One change of stored bytes behind the workload.
  static func histories(
    _ fault: FaultKind, altering files: [(path: String, bytes: Int)]
  ) -> [[Scenario.Step]] {
    files.flatMap { path, bytes -> [[Scenario.Step]] in
      let values: [[String: String]] =
        fault == .truncate
        ? Set([0, bytes / 2, bytes - 1]).sorted().map { ["to": String($0)] }
        : places(in: bytes).map { ["byte": String($0), "bit": String($0 % 8)] }
      return values.map { values in
        let change = request(fault, values.merging(["path": path]) { $1 })
        return saves + [Scenario.Step(.happen(change)), launches]
      }
    }
  }

  private static func places(in bytes: Int) -> [Int] {
    let count = min(bytes, Comparison.alterationCountMax)
    return (0..<count).map { $0 * bytes / count }
  }

  // MARK: - Events

  /// An event of the operating system behind each save.
  static func histories(eventsOf fault: FaultKind) -> [[Scenario.Step]] {
    saveSteps.enumerated().map { save, step in
      saves[...step] + events(fault, next: .init(.refresh(to: save + 2)))
    }
  }

  /// An event with what has to come before it, and what a user does behind it.
  private static func events(_ fault: FaultKind, next: Scenario.Step) -> [Scenario.Step] {
    let (event, launch) = (happens(fault), Scenario.Step(.launch(times: 1)))
    switch fault {
    case .lock, .reboot, .prewarm: return [event, launch, happens(.unlock), launch]
    case .unlock: return [happens(.lock), event, launches]
    case .uninstall: return [event, happens(.install), launch, .init(.signIn), launch]
    case .install: return [happens(.uninstall), event, launches]
    case .diskFull: return [event, next, happens(.diskFree), launches]
    case .diskFree: return [happens(.diskFull), event, next, launches]
    default: return [event, launches]
    }
  }

  private static func happens(_ fault: FaultKind) -> Scenario.Step {
    Scenario.Step(.happen(request(fault, [:])))
  }

  private static func request(
    _ fault: FaultKind, at trigger: String? = nil, _ values: [String: String]
  ) -> FaultRequest {
    do {
      return try FaultRequest(fault.rawValue, at: trigger, parameters: values)
    } catch {
      preconditionFailure("the catalogue is valid: \(error)")
    }
  }
}
