import Glibc
import Linux

/// Becomes another program, as a child that dies with the lab: `run [--go-fd N] [--parent PID]
/// -- COMMAND…`.
///
/// With `--go-fd` it first waits for one byte, so that the lab can register the process before its
/// first call on the phone. A command that is one of our own subcommands is run by this program.
enum RunCommand {
  static func run(_ arguments: [String]) throws {
    let options = try Options(arguments, allowed: ["go-fd", "parent"])
    var command = options.rest
    guard let first = command.first else { throw UsageError("no command after run --") }
    if Subcommand.names.contains(first) { command.insert("/proc/self/exe", at: 0) }
    try Runner.dieWithParent(try options.number("parent") ?? getppid())
    let go = try options.number("go-fd", as: Int32.self)
    if let go, go < 0 { throw UsageError("--go-fd \(go): not a descriptor") }
    try Runner.run(command, afterByteOn: go.map { Descriptor(owning: $0) })
  }
}
