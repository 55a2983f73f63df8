import Linux
import Mount

/// How the reference app is started.
package struct AppLaunch: Equatable, Sendable {
  package var store: String
  package var settings: ScenarioSettings
  /// The name of the session's item.
  package var item = "sb-demo-auth-token"
  package var user = "ada"
  /// The file of the acknowledgement log, outside the phone.
  package var acknowledgements: String?

  package init(store: String, settings: ScenarioSettings = ScenarioSettings()) {
    self.store = store
    self.settings = settings
  }
}

extension PhoneHost {
  /// The command line of the app's process.
  func appCommand(_ launch: AppLaunch) -> [String] {
    let (setup, count) = state.withLock { state in
      state.launchCount += 1
      return (state.setup, state.launchCount)
    }
    var command = [
      programs.app, "session", "--root", mounted.directory, "--daemon",
      socketPath, "--store", launch.store, "--name", launch.item,
      "--user", launch.user, "--launch", String(count),
      "--sdk", launch.settings[ScenarioSettings.sdk],
      "--size-rule", launch.settings[ScenarioSettings.sizeRule],
      "--size", launch.settings[ScenarioSettings.size],
    ]
    command += setup.options
    if let seed = setup.seed {
      command += [
        "--seed", String(seed &+ UInt64(count)), "--clock-start", String(nowMs),
        "--pid", String(1000 + count),
      ]
    }
    if let path = launch.acknowledgements { command += ["--ack", path] }
    return command + ["serve"]
  }
}
