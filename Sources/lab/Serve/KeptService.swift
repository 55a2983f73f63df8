import JSON
import Ports

/// A server that keeps what it remembers before anybody sees a reply.
final class KeptService: HTTPService {
  private let service: any HTTPService
  private let file: StateFile
  private let document: () -> JSONValue
  private let complain: (String) -> Void

  /// - Parameters:
  ///   - service: The server.
  ///   - file: Where its document is kept.
  ///   - document: What it remembers now.
  ///   - complain: Told when that could not be kept. The client gets an error then, for nothing that
  ///     it was told of may be lost; the server goes on, and the next request tries again.
  init(
    _ service: any HTTPService, in file: StateFile, _ document: @escaping () -> JSONValue,
    complain: @escaping (String) -> Void
  ) {
    self.service = service
    self.file = file
    self.document = document
    self.complain = complain
  }

  func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    let reply = service.answer(request, from: address)
    do {
      try file.save(document())
    } catch {
      complain("not saved: \(error)")
      return ServerReply(HTTPResponse(500))
    }
    return reply
  }
}
