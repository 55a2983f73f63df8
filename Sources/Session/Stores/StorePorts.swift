package import Ports

/// What a store may touch.
package struct StorePorts {
  package var secure: any SecureStorage
  package var plain: any PlainStorage
  package var entropy: any Entropy
  package var console: any Console
  package var trace: any TracePoint

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
