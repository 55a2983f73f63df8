import Machine
import Phone
import Ports

/// The service of the phone's keys as a process: `system-daemon --phone KIND --root DIR --socket
/// PATH`.
///
/// It says `ready` on standard output when it listens, and serves until it is told to quit or is
/// killed.
enum SystemDaemonCommand {
  private static let options =
    ["root", "socket", "lock-state", "seed", "clock-start"] + Options.phone

  static func run(_ arguments: [String]) throws {
    let options = try Options(arguments, allowed: options)
    guard options.rest.isEmpty else { throw UsageError("too many words: \(options.rest[0])") }
    let seed = try options.number("seed", as: UInt64.self)
    let kind = try options.phoneKind()
    let launch = try options.phoneLaunch()
    let root = try options.required("root")
    let service = try kind.service(
      on: PhonePorts(
        files: PosixFileSystem(root: root, databaseSeed: seed),
        entropy: Inputs.entropy(seed: seed, stream: kind.serviceName),
        clock: Inputs.clock(startMs: try options.number("clock-start")),
        console: StandardErrorConsole()),
      lockState: try options.word("lock-state") ?? .unlocked, launch)
    let points = MountTracePoints(root: root)
    let server = try RequestServer(path: try options.required("socket"))
    StandardStream.output.write("ready\n")
    try server.serve(
      { request in
        let reply = service.reply(to: request)
        if reply.commitsItem { points.reach(.itemCommitted) }
        return (reply.text, reply.ends ? .stop : .goOn)
      },
      afterwards: { service.finish() })
    service.stop()
  }
}
