import Backend
import Glibc
import HTTP
import JSON
import Linux
import Terminal

import protocol Ports.HTTPService

/// `lab serve`: an auth server on loopback, until a signal.
enum ServeCommand {
  private static let schema = "lab.serve/1"

  private static let port = Option(
    "port", .integer("N", in: 0...Int(UInt16.max)),
    "listen there; 0 is any free one; default 54321")
  private static let listen = Option(
    "listen",
    ValueKind<LoopbackAddress.Host>(
      "HOST", allowed: "an address that only this machine reaches: 127.0.0.1, ::1, localhost"
    ) { LoopbackAddress.Host($0) },
    "127.0.0.1 or ::1; nothing that another machine reaches; default 127.0.0.1")
  private static let kind = Option<ServerKind>(
    "kind", .word("KIND"),
    "which server: \(ServerKind.allCases.map(\.rawValue).joined(separator: "|")); default gotrue")
  private static let state = Option(
    "state", .text("FILE"), "keep what it remembers in this SQLite file; made when missing")

  private static let json = Flag("json", "one JSON object a line on stdout")

  static var command: Command {
    var command = Command("serve", "an auth server on loopback, to sign in at", run: run)
    command.description = [
      "Serves a model of an auth server over HTTP until Ctrl-C or SIGTERM, for any client in any "
        + "language: only to this machine, and with no mail but the one in its outbox.",
      "Faults are armed with `lab inject`, such as lab inject lose-reply --path /token --at 2, or by a "
        + "request: curl -d '{\"fault\":\"lose-reply\",\"path\":\"/token\",\"at\":2}' "
        + "http://127.0.0.1:54321/lab/faults; GET lists them, DELETE disarms all. `lab list faults` "
        + "has their words.",
      "Each request is one line on stderr, with --json on stdout: method, path and status, never a "
        + "query, a header or a body. A signal lets open requests finish; a second one does not.",
    ]
    command.options = [port, listen, kind, state] + ServerOptions.all + [json]
    command.exitCodes = [
      (.asExpected, "ended by SIGTERM"), (.interrupted, "ended by Ctrl-C"),
      (.neverFired, "an armed fault never fired"),
    ]
    command.examples = [
      ("lab serve", "for a client that expects http://127.0.0.1:54321/auth/v1"),
      ("lab serve --port 0 --state auth.db", "any free port; the accounts are there next time"),
      ("lab serve --kind better-auth --scheme myapp", "for a client of Better Auth's Expo plugin"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    DescriptorLimit.raise()
    let signals = try Signals()
    let chosen = invocation.value(kind) ?? .gotrue
    let file = invocation.value(state)
    let wished = LoopbackAddress(
      invocation.value(listen) ?? .v4, port: UInt16(invocation.value(port) ?? 54_321))
    let served = try chosen.makeService(
      try ServerOptions(invocation, for: chosen), state: file, complain: console.error)
    let isJSON = invocation.has(json)
    let server = try HTTPServer.opened(by: "lab serve", at: wished, served.front) { exchange in
      if isJSON { console.result(line(exchange)) } else { console.note(text(exchange)) }
    }
    served.place.url = server.address.url
    let registration = try ServerRegistry().register(
      .init(kind: chosen.rawValue, url: server.address.url))
    console.result(
      isJSON
        ? [opening(chosen, server.address)] : greeting(chosen, server.address, keptIn: file))
    var ending: Int32?
    server.run(until: signals.descriptor) {
      ending = (try? signals.next(timeoutMs: 0)) ?? nil
      console.error("finishing open requests (again: at once)")
    }
    registration.remove()
    for fault in served.neverFired { console.error("NEVER FIRED  \(fault)") }
    if !served.neverFired.isEmpty { return .neverFired }
    return ending == SIGINT ? .interrupted : .asExpected
  }

  private static func greeting(
    _ kind: ServerKind, _ address: LoopbackAddress, keptIn file: String?
  ) -> [String] {
    [
      "\(kind.rawValue) is served at \(address.url)\(kind.path)",
      "  mail    \(address.url)/lab/outbox",
      "  faults  \(address.url)/lab/faults",
      "  \(kind.secrets(keptIn: file))",
    ]
  }

  private static func text(_ exchange: HTTPServer.Exchange) -> String {
    let outcome = exchange.status.map { "\($0)" } ?? "no reply"
    let ms = exchange.duration / .milliseconds(1)
    return "\(exchange.method) \(exchange.path) \(outcome) \(Int(ms.rounded())) ms"
  }

  private static func opening(_ kind: ServerKind, _ address: LoopbackAddress) -> String {
    JSONWriter.text(of: [
      "schema": .text(schema), "event": "serving", "kind": .text(kind.rawValue),
      "url": .text(address.url + kind.path),
    ])
  }

  private static func line(_ exchange: HTTPServer.Exchange) -> String {
    JSONWriter.text(of: [
      "schema": .text(schema), "event": "request", "method": .text(exchange.method),
      "path": .text(exchange.path),
      "status": exchange.status.map { .integer(Int64($0)) } ?? .null,
    ])
  }
}
