import Crypto
import Ports

/// The kernel's random bytes.
package final class SystemEntropy: Entropy {
  package init() {}

  package func bytes(_ count: Int) -> [UInt8] { randomBytes(count) }
}
