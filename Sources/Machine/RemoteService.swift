import HTTP
import Linux
package import Ports

/// A server of the lab in another process, over loopback HTTP.
///
/// Each request is answered before anything else happens in this thread: what takes virtual time is
/// told by a header of the reply (`ServerReply.Delivery.header`), and waited for by the caller.
package final class RemoteService: HTTPService {
  private let client: HTTPClient

  /// - Parameter url: `http://127.0.0.1:PORT`.
  /// - Throws: `SystemError` when the machine has no descriptor left; ``NoLoopbackAddress``.
  package init(_ url: String) throws {
    guard let address = LoopbackAddress(url: url) else { throw NoLoopbackAddress(url: url) }
    client = HTTPClient(try EventLoop(), address)
  }

  package func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    do throws(NetworkError) {
      var response = try client.reply(to: request)
      let delivery = response.headers[ServerReply.Delivery.header]
      response.headers[ServerReply.Delivery.header] = nil
      return ServerReply(response, delivery.flatMap(ServerReply.Delivery.init(text:)) ?? .now)
    } catch {
      return ServerReply(HTTPResponse(0), .cut)
    }
  }
}

/// An address that other machines could reach, or none at all.
package struct NoLoopbackAddress: Error, CustomStringConvertible {
  var url: String

  package var description: String { "\(url): no address such as http://127.0.0.1:54321" }
}
