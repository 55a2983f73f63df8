import Glibc

/// A sink over an open descriptor, unbuffered: a line that was written survives a trap.
package final class DescriptorSink: LineSink {
  private let descriptor: Int32

  package init(_ descriptor: Int32) { self.descriptor = descriptor }

  package func write(_ bytes: [UInt8]) -> WriteOutcome {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&request, 1, -1)
      } else if errno != EINTR {
        return errno == EPIPE ? .closed : .failed(unsafe String(cString: strerror(errno)))
      }
    }
    return .written
  }

  package var isTerminal: Bool { isatty(descriptor) == 1 }

  package var columnCount: Int? {
    var size = winsize()
    let code = unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size)
    return code == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// Makes writing to a closed pipe an error instead of the end of the process.
  package static func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }
}
