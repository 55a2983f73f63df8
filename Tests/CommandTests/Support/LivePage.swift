import Foundation
import Testing

/// A page that `lab ui` serves, on any free port.
struct LivePage {
  let process: Running
  /// The printed address, with its token.
  let url: String
  private let user: User

  init(_ user: User, _ options: String...) throws {
    self.user = user
    process = try user.begin(["ui"] + options)
    let started = process
    let isThere = eventually { started.output.hasSuffix("/\n") || !started.isRunning }
    try #require(isThere && process.isRunning, "\(process.output)\(process.errors)")
    url = String(process.output.dropLast())
  }

  /// `127.0.0.1:40961`.
  var authority: String { String(url.split(separator: "/")[1]) }
  var port: String { String(authority.split(separator: ":")[1]) }
  var token: String { String(url.split(separator: "/")[2]) }

  /// One answer of the server.
  struct Answer {
    let status: Int
    let head: String
    let body: String

    var json: [String: Any] {
      get throws {
        let value = try JSONSerialization.jsonObject(with: Data(body.utf8))
        return try #require(value as? [String: Any], "\(body)")
      }
    }
  }

  /// Sends a request as bytes, and takes what comes back. A body makes it a POST; a place is what
  /// follows the token, or a whole path or address; a host is what the client takes the server for.
  func send(
    _ place: String, _ body: String? = nil, host: String? = nil, headers: [String] = []
  ) throws -> Answer {
    let name = "request-\(UUID().uuidString)"
    let isWhole = place.hasPrefix("/") || place.hasPrefix("http:")
    let target = isWhole ? place : "/\(token)/\(place)"
    var lines = ["\(body == nil ? "GET" : "POST") \(target) HTTP/1.1"]
    lines += ["Host: \(host ?? authority)", "Connection: close"] + headers
    if let body { lines += ["Content-Length: \(body.utf8.count)"] }
    if body != nil, !headers.contains(where: { $0.hasPrefix("Content-Type") }) {
      lines.append("Content-Type: application/json")
    }
    try user.write(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""), to: name)
    let reply = try user.shell(
      "exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(port); cat \(name) >&3; cat <&3'"
    ).output
    let parts = reply.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let status = try #require(reply.split(separator: " ").dropFirst().first.flatMap { Int($0) })
    return Answer(
      status: status, head: String(parts[0]), body: parts.count > 1 ? String(parts[1]) : "")
  }

  /// How the phone is, as the page reads it.
  func view() throws -> [String: Any] { try send("api/view").json }

  /// Sends a wish and waits for its end.
  ///
  /// - Returns: The job, as the page shows it.
  func wish(_ order: String) throws -> [String: Any] {
    let answer = try send("api/do", order)
    try #require(answer.status == 202, "\(answer.status) \(answer.body)")
    let id = try #require(try answer.json["job"] as? Int)
    var job: [String: Any] = [:]
    let isDone = try eventually {
      let jobs = try view()["jobs"] as? [[String: Any]] ?? []
      job = jobs.first { $0["id"] as? Int == id } ?? [:]
      return job["status"] as? String != "running"
    }
    try #require(isDone, "\(order)")
    return job
  }

  func end() throws {
    process.send(SIGTERM)
    #expect(try process.wait().code == 0)
  }
}

extension [String: Any] {
  /// The member of objects within each other.
  func at(_ keys: String...) -> Any? {
    keys.reduce(self as Any?) { ($0 as? [String: Any])?[$1] }
  }

  /// The objects of a list.
  func objects(_ keys: String...) -> [[String: Any]] {
    keys.reduce(self as Any?) { ($0 as? [String: Any])?[$1] } as? [[String: Any]] ?? []
  }
}
