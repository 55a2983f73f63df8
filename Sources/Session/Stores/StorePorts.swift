package import Ports

/// What a store may touch.
package struct StorePorts {
  package var secure: any SecureStorage
  package var plain: any PlainStorage
  package var entropy: any Entropy
  package var console: any Console
  package var trace: any TracePoint
  /// Whether the app is in the foreground. In the background a keychain may say "not found" of
  /// an item that is there (iOS before the first unlock).
  package var isInForeground: () -> Bool = { true }
  /// Says how long ago this process has saved; `nil` for one that cannot tell.
  package var clock: (any WallClock)?
  /// Told once when a store has removed an item that could not be read.
  package var onHeal: (DurableHeal) -> Void = { _ in }
  /// What an exception that the store does not catch runs into: ends the app, as
  /// `CrashHandler/crash(_:)` says.
  package var crash: (String) -> Void = { _ in }

  package init(
    secure: any SecureStorage, plain: any PlainStorage, entropy: any Entropy,
    console: any Console, trace: any TracePoint
  ) {
    self.secure = secure
    self.plain = plain
    self.entropy = entropy
    self.console = console
    self.trace = trace
  }
}
