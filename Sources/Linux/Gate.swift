/// Stops a new process between its birth and its first use of a file, so that it can be registered.
///
/// The thread that starts the process is suspended meanwhile; another one asks for the
/// ``process(timeoutMs:)`` and calls ``open()``.
package final class Gate: Sendable {
  let birth: (reading: Descriptor, writing: Descriptor)
  let go: (reading: Descriptor, writing: Descriptor)

  package init() throws(SystemError) {
    birth = try Descriptor.pipe()
    go = try Descriptor.pipe()
  }

  /// Waits for the birth and returns the new process's number; `nil` when the time ran out.
  package func process(timeoutMs: Int) throws(SystemError) -> Int32? {
    guard try birth.reading.waitReadable(timeoutMs: timeoutMs) else { return nil }
    let bytes = try birth.reading.read(count: 4)
    let number = bytes.reversed().reduce(0) { $0 << 8 | Int32($1) }
    return number == 0 ? nil : number
  }

  /// Ends the wait for a process that could not be started.
  package func giveUp() {
    try? birth.writing.write([0, 0, 0, 0])
  }

  /// Lets the process go on.
  package func open() throws(SystemError) {
    try go.writing.write([1])
  }
}
