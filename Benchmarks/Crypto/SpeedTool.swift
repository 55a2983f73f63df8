import Glibc
import Linux

/// `openssl speed`, by which the library measures itself.
enum SpeedTool {
  static let name = "openssl speed"

  /// Takes a second.
  ///
  /// - Returns: Nanoseconds for a message of so many bytes under a kept key; `nil` when there is no
  ///   `openssl`, or none that speaks so.
  static func measure(bytes: Int) throws -> Double? {
    let (output, writing) = try Descriptor.pipe()
    var launch = ChildProcess.Launch([
      "openssl", "speed", "-mr", "-evp", "aes-256-ctr", "-bytes", "\(bytes)", "-seconds", "1",
    ])
    launch.descriptors = [nil, writing, nil]
    launch.diesWithParent = true
    let child: ChildProcess
    do throws(SystemError) {
      child = try ChildProcess(launch)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
    guard try child.wait(timeoutMs: 60_000) == .exited(0) else { return nil }
    return bytesPerSecond(in: String(decoding: try output.read(count: 65_536), as: UTF8.self))
      .map { 1e9 * Double(bytes) / $0 }
  }

  /// The machine's form is `+F:25:AES-256-CTR:7898859243.24`. It is 0 or `inf` where the tool was
  /// hardly given any processor time.
  static func bytesPerSecond(in text: String) -> Double? {
    let line = text.split(separator: "\n").last { $0.hasPrefix("+F:") }
    let speed = line?.split(separator: ":").last.flatMap { Double($0) }
    return speed.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }
}
