import Linux
import Mount
import SQLite

/// What the figures were measured on.
package struct MachineDescription: Sendable {
  package let cpu: String
  package let kernel: String
  package let libfuse: String
  package let sqlite: String
  /// The processor to which everything was confined.
  package let processor: Int
  package let processorCount: Int

  init(pinnedTo processor: Int, of count: Int) throws {
    cpu = try Self.cpuModel()
    kernel = Self.trimmed(try Files.read("/proc/sys/kernel/osrelease"))
    libfuse = FuseDevice.libraryVersion
    sqlite = try Connection(":memory:").value("SELECT sqlite_version()")?.text ?? "unknown"
    self.processor = processor
    processorCount = count
  }

  /// How many other threads of the whole machine run, or could run, at this moment.
  static func neighbourCount() throws -> Int {
    // `0.20 0.18 0.12 1/80 11206`: the fourth field counts those that run, and all.
    let fields = trimmed(try Files.read("/proc/loadavg")).split(separator: " ")
    let running = fields.count > 3 ? fields[3].split(separator: "/").first : nil
    return max(0, (running.flatMap { Int($0) } ?? 1) - 1)
  }

  private static func cpuModel() throws -> String {
    let lines = String(decoding: try Files.read("/proc/cpuinfo"), as: UTF8.self)
      .split(separator: "\n")
    let line = lines.first { $0.hasPrefix("model name") || $0.hasPrefix("CPU implementer") }
    guard let line, let colon = line.firstIndex(of: ":") else { return "unknown" }
    return trimmed(Array(line[line.index(after: colon)...].utf8))
  }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }
}
