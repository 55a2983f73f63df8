import Glibc
import HTTP
import JSON
import Linux
import Mount
import Ports
import Terminal

/// The way from a command to a running server of the lab.
struct ServerLink {
  /// How long to wait for a server that is just starting, in milliseconds.
  private static let patienceMs = 5_000

  /// `http://127.0.0.1:54321`.
  let url: String
  private let client: HTTPClient

  /// Finds the server, and waits a while for one that is starting.
  ///
  /// - Parameters:
  ///   - invocation: May give its address with `--on`.
  ///   - waits: Whether a server that is not there may still come.
  /// - Throws: `Failure`: 2 when there is none or several, 64 for what is no address.
  init(_ invocation: Invocation, waits: Bool = true) throws {
    let address = try Self.address(invocation.value(PhoneLink.on), waits: waits)
    url = address.url
    client = HTTPClient(try EventLoop(), address, timeLimit: .seconds(10))
  }

  /// A server that runs.
  ///
  /// - Throws: `Failure` that ends with 2 when it has ended meanwhile.
  init(_ entry: ServerRegistry.Entry) throws {
    guard let address = LoopbackAddress(url: entry.url) else {
      throw Failure.couldNotRun("no server answers at \(entry.url)", do: "lab status")
    }
    url = address.url
    client = HTTPClient(try EventLoop(), address, timeLimit: .seconds(10))
  }

  /// Whether a command that may be about a phone is about a server: `--on` names one, or there is no
  /// phone but a server.
  static func isMeant(_ invocation: Invocation) throws -> Bool {
    if invocation.isGiven(PhoneLink.on) { return url(invocation) != nil }
    return try Registry().list().isEmpty && !ServerRegistry().list().isEmpty
  }

  /// The address that `--on` names, if it names a server.
  static func url(_ invocation: Invocation) -> String? {
    invocation.value(PhoneLink.on).flatMap { $0.hasPrefix("http://") ? $0 : nil }
  }

  private static func address(_ wanted: String?, waits: Bool) throws -> LoopbackAddress {
    if let wanted {
      guard let address = LoopbackAddress(url: wanted) else {
        throw Failure.wrongUsage(
          "--on: '\(wanted)' is no server's address, such as http://127.0.0.1:54321",
          help: "lab status")
      }
      return address
    }
    let deadline = Clocks.monotonicNs + Int64(waits ? patienceMs : 0) * 1_000_000
    while true {
      let servers = try ServerRegistry().list()
      if servers.count > 1 {
        let urls = servers.map(\.url).joined(separator: " ")
        throw Failure.couldNotRun("several servers run: \(urls)", do: "add --on URL")
      }
      if let address = servers.first.flatMap({ LoopbackAddress(url: $0.url) }) { return address }
      guard Clocks.monotonicNs < deadline else {
        throw Failure.couldNotRun("no server runs", do: "lab serve &")
      }
      // There is nothing to wait on before the server has a place in the registry.
      usleep(20_000)
    }
  }

  /// Sends a request to what those who test use.
  ///
  /// - Throws: `Failure`: 2 when the server does not answer or refuses, 64 when it does not understand.
  func call(_ method: String, _ path: String, _ body: JSONValue? = nil) throws -> JSONValue {
    let request = HTTPRequest(method, path, body: body.map { JSONWriter.bytes(of: $0) } ?? [])
    let response: HTTPResponse
    do throws(NetworkError) {
      response = try client.reply(to: request)
    } catch {
      throw Failure.couldNotRun("no server answers at \(url)", do: "lab serve &")
    }
    let answer = response.body.isEmpty ? .null : try JSONReader.read(response.body).value
    switch response.status {
    case 200, 204: return answer
    case 400:
      let allowed = answer["allowed"]?.text.map { $0.isEmpty ? "" : "   (\($0))" } ?? ""
      throw Failure.wrongUsage(
        (answer["reason"]?.text ?? "not understood") + allowed, help: "lab list faults")
    case 409:
      throw Failure.couldNotRun(
        answer["error"]?.text ?? "\(url) refuses", do: "sign up first, or arm it with --at 1")
    default:
      throw Failure.couldNotRun(answer["error"]?.text ?? "\(url) answers \(response.status)")
    }
  }

  /// What was armed there, as `lab faults` shows it.
  func faults() throws -> JSONValue {
    let entries = try call("GET", "/lab/faults").list ?? []
    return [
      "schema": "lab.faults/1", "server": .text(url),
      "faults": .list(
        entries.map { entry in
          [
            "id": entry["id"] ?? .null, "fault": entry["words"] ?? .null,
            "status": entry["status"] ?? .null, "fired": entry["fired"] ?? .null,
          ]
        }),
    ]
  }
}
