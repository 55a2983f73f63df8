import Glibc
import Ports

/// The kernel's random bytes.
package final class SystemEntropy: Entropy {
  package init() {}

  package func bytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      // getentropy(3) gives at most 256 bytes a call, and fails only where there is no such call.
      let length = min(256, count - done)
      let result = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe getentropy(buffer.baseAddress?.advanced(by: done), length)
      }
      precondition(result == 0, "the kernel has a random source")
      done += length
    }
    return bytes
  }
}
