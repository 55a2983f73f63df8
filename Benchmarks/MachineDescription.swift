import Crypto
import HTTP
import Linux
import Mount
import SQLite

/// What the figures were measured on, and with.
package struct MachineDescription: Equatable, Sendable {
  package let cpu: String
  /// Which of the instructions that matter here the processor has: `aes`, `vaes`, `avx2`.
  package let features: [String]
  package let kernel: String
  package let libfuse: String
  package let sqlite: String
  package let openssl: String
  package let libevent: String
  package let swift: String
  package let isOptimised: Bool
  /// The processor to which everything was confined.
  package let processor: Int
  package let processorCount: Int

  /// Each fact with its name, as people read it.
  package var facts: [(name: String, value: String)] {
    [
      ("cpu", cpu), ("features", features.joined(separator: " ")), ("kernel", "Linux \(kernel)"),
      ("libfuse", libfuse), ("SQLite", sqlite), ("OpenSSL", openssl), ("libevent", libevent),
      ("Swift", swift), ("build", isOptimised ? "optimised" : "debug"),
      ("processor", "\(processor) of \(processorCount)"),
    ]
  }
}

extension MachineDescription {
  /// This machine.
  init(pinnedTo processor: Int, of count: Int) throws {
    let info = Self.lines(of: try Files.read("/proc/cpuinfo"))
    cpu = Self.value(info, of: ["model name", "CPU implementer"]) ?? "unknown"
    let flags = Set((Self.value(info, of: ["flags", "Features"]) ?? "").split(separator: " "))
    features = Self.known.filter { flags.contains(Substring($0)) }
    kernel = Self.trimmed(try Files.read("/proc/sys/kernel/osrelease"))
    libfuse = FuseDevice.libraryVersion
    sqlite = try Self.sqliteVersion
    openssl = Self.opensslVersion
    libevent = eventLibraryVersion
    swift = Self.compiler
    isOptimised = Self.isOptimisedBuild
    self.processor = processor
    processorCount = count
  }

  /// What the program is made with and needs where it runs, with versions.
  package static func libraries() throws -> [(name: String, version: String)] {
    [
      ("swift", compiler), ("fuse3", FuseDevice.libraryVersion), ("openssl", opensslVersion),
      ("sqlite", try sqliteVersion), ("libevent", eventLibraryVersion),
    ]
  }

  private static var sqliteVersion: String {
    get throws {
      try Connection(":memory:").value("SELECT sqlite_version()")?.text ?? "unknown"
    }
  }

  /// Of `OpenSSL 3.0.22 25 Aug 2026`.
  private static var opensslVersion: String {
    cryptoLibraryVersion.split(separator: " ").dropFirst().first.map(String.init)
      ?? cryptoLibraryVersion
  }

  /// As the kernel calls them, on x86-64 and aarch64.
  private static let known = [
    "aes", "vaes", "pclmulqdq", "vpclmulqdq", "sha_ni", "ssse3", "avx", "avx2", "avx512f", "bmi2",
    "rdrand", "pmull", "sha1", "sha2", "sha3", "sha512", "asimd", "sve",
  ]

  #if compiler(>=6.4)
    private static let compiler = "6.4 or newer"
  #elseif compiler(>=6.3)
    private static let compiler = "6.3"
  #else
    private static let compiler = "6.2"
  #endif

  #if DEBUG
    private static let isOptimisedBuild = false
  #else
    private static let isOptimisedBuild = true
  #endif

  /// How many other threads of the whole machine run, or could run, at this moment.
  static func neighbourCount() throws -> Int {
    // `0.20 0.18 0.12 1/80 11206`: the fourth field counts those that run, and all.
    let fields = trimmed(try Files.read("/proc/loadavg")).split(separator: " ")
    let running = fields.count > 3 ? fields[3].split(separator: "/").first : nil
    return max(0, (running.flatMap { Int($0) } ?? 1) - 1)
  }

  /// What stands behind the first of these names that there is.
  private static func value(_ lines: [Substring], of names: [String]) -> String? {
    let line = lines.first { line in names.contains { line.hasPrefix($0) } }
    guard let line, let colon = line.firstIndex(of: ":") else { return nil }
    return trimmed(Array(line[line.index(after: colon)...].utf8))
  }

  private static func lines(of bytes: [UInt8]) -> [Substring] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
  }
}
