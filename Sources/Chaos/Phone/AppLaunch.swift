import Linux
import Mount
package import Ports
import Session

/// How the reference app is started.
package struct AppLaunch: Equatable, Sendable {
  package var store: String
  package var settings: ScenarioSettings
  /// The name of the session's item.
  package var item = "sb-demo-auth-token"
  package var user = "ada"
  /// Whether the person sees it.
  package var state = AppState.active
  /// How far the phone's clock is ahead of the true time; for an app with its client.
  package var clockAheadMs: Int64 = 0
  /// The program that keeps the session; `nil` for a store of the lab's own.
  package var foreign: ForeignApp?

  package init(store: String, settings: ScenarioSettings = ScenarioSettings()) {
    self.store = store
    self.settings = settings
    if settings.clientProfile != nil, settings.backendKind == .betterAuth {
      item = HandOffApp.item
    }
  }
}

extension AppLaunch {
  /// The same as values, for an app that runs in this process.
  func appSettings(launchCount: Int) -> AppSettings {
    var app = AppSettings()
    app.sessionItem = item
    app.user = user
    app.launch = launchCount
    app.size = SessionText.Size(rawValue: settings[ScenarioSettings.size]) ?? app.size
    app.sdk = SDKVersion(settings[ScenarioSettings.sdk]) ?? app.sdk
    app.hasWebCrypto = settings[ScenarioSettings.webCrypto] == "yes"
    app.store.jar =
      BetterAuthBehaviour(rawValue: settings[ScenarioSettings.jar]) ?? app.store.jar
    app.store.sizeRule =
      SizeRule(rawValue: settings[ScenarioSettings.sizeRule]) ?? app.store.sizeRule
    return app
  }
}

extension PhoneHost {
  /// The command line of the app's process.
  ///
  /// - Parameters:
  ///   - launch: What to start.
  ///   - server: Where its server is; the reference app has none.
  /// - Returns: Its words.
  func appCommand(_ launch: AppLaunch, server: String?) -> [String] {
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
      "--jar", launch.settings[ScenarioSettings.jar], "--state", launch.state.rawValue,
    ]
    command += setup.options
    if let seed = setup.seed {
      command += [
        "--seed", String(seed &+ UInt64(count)), "--clock-start", String(nowMs),
        "--pid", String(1000 + count),
      ]
    }
    if let profile = launch.settings.clientProfile, let server {
      command += [
        "--client", profile.rawValue, "--server", server,
        "--clock-ahead", String(launch.clockAheadMs),
        "--web-crypto", launch.settings[ScenarioSettings.webCrypto],
        "--backend", launch.settings.backendKind.rawValue,
      ]
    }
    if let foreign = launch.foreign {
      command += foreign.options
      if setup.seed != nil { command += ["--adapter-notes", callNotesPath] }
    }
    if setup.seed != nil { command += ["--ack", acknowledgementPath] }
    return command + ["serve"]
  }
}
