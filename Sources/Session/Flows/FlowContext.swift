package import Ports

/// What the screens of one app share: one client, one provider, one navigator.
package final class FlowContext {
  package let auth: any AuthCalls
  package let provider: AuthProvider
  package let navigator: Navigator
  package let spawner: any Spawner
  package let sleeper: any Sleeper
  package let clock: any WallClock
  package let console: any Console
  /// Of the mails of a reset, for all screens; in the profile `seed` each screen has its own.
  let cooldown: Cooldown
  package var profile: AppProfile { provider.profile }

  package init(
    _ auth: any AuthCalls, _ provider: AuthProvider, _ navigator: Navigator,
    spawner: any Spawner, sleeper: any Sleeper, clock: any WallClock, console: any Console
  ) {
    self.auth = auth
    self.provider = provider
    self.navigator = navigator
    self.spawner = spawner
    self.sleeper = sleeper
    self.clock = clock
    self.console = console
    cooldown = Cooldown(clock)
  }

  func alert(_ error: AuthError) -> AuthAlert { AuthAlert(error, profile) }
}

/// What a person typed to sign in or up.
package struct Credentials: Equatable, Sendable {
  package var email: String
  package var password: String

  package init(email: String = "", password: String = "") {
    self.email = email
    self.password = password
  }
}
