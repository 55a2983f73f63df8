package import Backend
import JSON
package import Ports

/// `/lab/faults` in front of a server: faults are armed, reported and taken back in the words of the
/// catalogue.
///
/// `POST` takes the members of a step: `{ fault: "lose-reply", path: "/token", at: 2 }`. `GET` lists
/// what was armed and how often it has fired, `DELETE` takes all back, and of `/lab/faults/3` one.
package final class FaultDesk: HTTPService {
  private static let path = "/lab/faults"

  private let server: any FaultyService

  package init(_ server: any FaultyService) { self.server = server }

  package func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    guard request.path == Self.path || request.path.hasPrefix(Self.path + "/") else {
      return server.answer(request, from: address)
    }
    return ServerReply(answer(request))
  }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    let id = request.path.dropFirst(Self.path.count).dropFirst()
    switch (request.method, id.isEmpty) {
    case ("GET", true): return Self.json(200, .list(server.faults.entries.map(Self.json)))
    case ("POST", true): return inject(request.body)
    case ("DELETE", true):
      server.faults.disarm()
      return HTTPResponse(204)
    case ("DELETE", false):
      guard let entry = Int(id).flatMap({ server.faults.disarm($0) }) else {
        return Self.json(404, ["error": .text("no fault \(id)")])
      }
      return Self.json(200, Self.json(entry))
    default: return Self.json(405, ["error": .text("\(request.method) is none of GET POST DELETE")])
    }
  }

  private func inject(_ body: [UInt8]) -> HTTPResponse {
    do throws(JSONError) {
      let node = try JSONReader.read(body, .json5)
      var reader = try node.object("a fault")
      let word = try reader.required("fault")
      let fault = try FaultRequest(try word.text(), word, &reader)
      try reader.finish()
      do throws(FaultGrammarError) {
        return Self.json(200, try fault.inject(into: server).json)
      } catch {
        if error.isRefusal { return Self.json(409, ["error": .text(error.reason)]) }
        throw error.at(word)
      }
    } catch {
      var body: JSONObject = ["error": .text("\(error)"), "reason": .text("\(error.problem)")]
      body["allowed"] = error.problem.allowed.map(JSONValue.text)
      return Self.json(400, .object(body))
    }
  }

  private static func json(_ status: Int, _ value: JSONValue) -> HTTPResponse {
    var response = HTTPResponse(status, body: JSONWriter.bytes(of: value))
    response.headers["Content-Type"] = "application/json"
    return response
  }

  private static func json(_ entry: FaultPlan.Entry) -> JSONValue {
    var fields: JSONObject = [
      "id": .integer(entry.id), "fault": .text(entry.fault.effect.kind.rawValue),
      "words": .text("\(entry.fault)"), "status": .text(entry.words),
      "fired": .integer(entry.fired),
    ]
    fields["path"] = entry.fault.path.map(JSONValue.text)
    return .object(fields)
  }
}

extension FaultPlan.Entry {
  /// `armed`, `fired`, how far it has come, or that what it met it left as it was.
  package var words: String {
    if fired == 0 { return isArmed ? "armed" : "without effect" }
    return isArmed ? "fired \(fired) of \(fault.times), still armed" : "fired"
  }
}
