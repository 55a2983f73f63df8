import CLinux
import Glibc

/// What a started process does before it becomes the program that it is to run.
package enum Runner {
  /// Asks the kernel to kill this process when the thread that started it ends.
  ///
  /// - Parameter parent: The process that should be the parent. When it is already gone this process
  ///   ends with 127, because the signal would never come.
  /// - Throws: ``SystemError`` when the kernel refuses.
  package static func dieWithParent(_ parent: Int32) throws(SystemError) {
    try check("prctl", "parent-death signal", clinux_parent_death_signal(SIGKILL))
    if getppid() != parent { exit(127) }
  }

  /// Keeps whoever a child of this process starts among its descendants, even when the child ends
  /// first.
  ///
  /// - Throws: ``SystemError`` when the kernel refuses.
  package static func adoptOrphans() throws(SystemError) {
    try check("prctl", "child subreaper", clinux_adopt_orphans())
  }

  /// Waits for one byte on a descriptor, so that somebody can register this process first, and then
  /// becomes the program.
  ///
  /// - Throws: ``SystemError`` when the other side closed without a byte, or the program could not
  ///   be executed.
  package static func run(
    _ command: [String], afterByteOn go: Descriptor?
  ) throws(SystemError) -> Never {
    precondition(!command.isEmpty, "a command has a first word")
    if let go, try go.read(count: 1).isEmpty {
      throw SystemError(call: "run", subject: command[0], code: ECANCELED)
    }
    let failed = unsafe withCStrings(command) { unsafe clinux_replace($0[0], $0) }
    try check("exec", command[0], failed)
    preconditionFailure("exec returns only to report failure")
  }
}
