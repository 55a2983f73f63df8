import Glibc
import HTTP
import Linux
import Terminal

import protocol Ports.HTTPService

extension HTTPServer {
  /// A server of a command's own; a port that is taken is told with what to do.
  ///
  /// - Throws: `Failure` that ends with 2, or `SystemError`.
  static func opened(
    by command: String, at address: LoopbackAddress, _ service: any HTTPService,
    _ limits: Limits = Limits(), report: @escaping (Exchange) -> Void = { _ in }
  ) throws -> HTTPServer {
    do throws(SystemError) {
      return try HTTPServer(EventLoop(), at: address, service, limits, report: report)
    } catch {
      guard error.code == EADDRINUSE else { throw error }
      throw Failure.couldNotRun(
        "port \(address.port) is taken", do: "\(command) --port 0   (any free one)")
    }
  }
}
