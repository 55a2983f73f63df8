import Glibc
import HTTP
import Linux
import Mount
import Terminal

/// `lab ui`: a live page of a mounted phone, on loopback, until a signal.
enum UICommand {
  private static let port = Option(
    "port", .integer("N", in: 0...Int(UInt16.max)), "listen there; 0 (default) is any free one")
  private static let open = Flag("open", "open the page in the browser of this desktop")

  static var command: Command {
    var command = Command("ui", "a live page to watch a mounted phone, and to break it", run: run)
    command.description = [
      "Serves one page on 127.0.0.1 until Ctrl-C or SIGTERM, and prints its address. It shows both "
        + "halves and what of them would survive, the operations as they come, and for every fault "
        + "what it would take now; its buttons do what lab inject, app, snapshot and restore do.",
      "The address holds a token that is new each time; whoever has it may use the page. The phone "
        + "stays mounted when the page ends; a page whose phone is unmounted waits for it.",
    ]
    command.options = [PhoneLink.on, port, open]
    command.exitCodes = [
      (.asExpected, "ended by SIGTERM"), (.interrupted, "ended by Ctrl-C"),
    ]
    command.examples = [
      ("lab ui", "the only phone that is mounted, on any free port"),
      ("lab ui --on my-phone --port 8800 --open", "one of several, in the browser at once"),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    DescriptorLimit.raise()
    let name = try PhoneLink(invocation).entry.name
    let signals = try Signals()
    let watch = try UIWatch(name)
    let service = UIService(watch, UIDesk(watch, named: invocation.value(PhoneLink.on)))
    var limits = HTTPServer.Limits()
    limits.bodyBytes = 64 << 10
    let wished = LoopbackAddress(port: UInt16(invocation.value(port) ?? 0))
    let server = try HTTPServer.opened(by: "lab ui", at: wished, service, limits)
    let gate = UIGuard(port: server.address.port, token: UIGuard.makeToken())
    service.gate = gate
    let url = "\(server.address.url)/\(gate.token)/"
    console.result(url)
    console.note("shows \(name); Ctrl-C ends the page, and the phone stays mounted")
    let browser = invocation.has(open) ? try UIBrowser(url) : nil
    defer { browser?.close() }
    var ending: Int32?
    server.run(until: signals.descriptor) { ending = (try? signals.next(timeoutMs: 0)) ?? nil }
    return ending == SIGINT ? .interrupted : .asExpected
  }
}
