import Foundation
import Testing

/// A server that `lab serve` runs, on any free port.
struct Serving {
  let process: Running
  /// `http://127.0.0.1:54321`.
  let base: String

  var port: String { String(base.split(separator: ":")[2]) }

  init(_ user: User, _ options: String...) throws { try self.init(user, options) }

  init(_ user: User, _ options: [String]) throws {
    process = try user.begin(["serve", "--port", "0"] + options)
    let address = #/http://(?:127\.0\.0\.1|\[::1\]):\d+/#
    let started = process
    let isThere = eventually { started.output.contains(address) || !started.isRunning }
    try #require(isThere && process.isRunning, "\(process.output)\(process.errors)")
    base = String(try #require(process.output.firstMatch(of: address)).output)
  }

  /// Sends a request as bytes, and takes what comes back.
  func send(
    _ method: String, _ target: String, _ body: String = "", host: String = "localhost",
    origin: String? = nil, as user: User
  ) throws -> Running {
    let name = "request-\(UUID().uuidString)"
    let head =
      "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
      + (origin.map { "Origin: \($0)\r\n" } ?? "")
    try user.write(head + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)", to: name)
    return try user.begin(
      shell: "exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(port); cat \(name) >&3; cat <&3'")
  }
}

/// The Python that has the packages of `Tests/requirements.txt`.
enum Python {
  static let path = ProcessInfo.processInfo.environment["LAB_PYTHON"] ?? "python3"

  static func script(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "ForeignClient/\(name)").path
  }
}
