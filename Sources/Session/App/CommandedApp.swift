/// An app with its client, which does what it is told, one command after the other.
package protocol CommandedApp: AnyObject {
  /// Looks for a stored session. Returns before that has been read.
  func start() async

  var isStarted: Bool { get }

  /// - Returns: Why it failed, as the screen says it; `nil` when it did not.
  func perform(_ command: ClientCommand) async -> String?

  /// What a person and the lab can see of it.
  ///
  /// - Parameters:
  ///   - failure: Of the command.
  ///   - nowMs: The true time.
  /// - Returns: How it stands.
  func view(failure: String?, nowMs: Int64) -> ClientView
}

extension CommandedApp {
  /// Does what it is told; the first time it starts before.
  ///
  /// - Parameters:
  ///   - command: What to do.
  ///   - nowMs: The true time, asked afterwards.
  ///   - run: Runs something in the app's process for some time at most and a while longer, and gives
  ///     the reason when it did not end.
  /// - Returns: How the app stands afterwards.
  package func result(
    of command: ClientCommand, nowMs: () -> Int64,
    running run: (
      _ patience: Duration, _ settling: Duration, _ work: @escaping () async -> Void
    ) -> String?
  ) -> AppResult {
    var failure: String?
    let trouble = run(command.patience, command.settling) { [self] in
      if !isStarted { await start() }
      failure = await perform(command)
    }
    if let trouble { return AppResult(command: command.name, outcome: .hung(trouble)) }
    return AppResult(
      command: command.name, outcome: .view(view(failure: failure, nowMs: nowMs())))
  }
}
