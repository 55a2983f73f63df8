import Backend
import Ports
import Testing

@Suite struct `The gateway` {
  private let gateway = GoTrueGateway(GoTrueRig().server)

  private func send(
    _ method: String, _ path: String, _ fields: KeyValuePairs<String, String>
  ) -> HTTPResponse {
    var request = HTTPRequest(method, path)
    for (name, value) in fields { request.headers[name] = value }
    return gateway.answer(request, from: "10.0.0.1").response
  }

  @Test func `allows any page to ask with any header`() {
    let reply = send(
      "OPTIONS", "/auth/v1/token?grant_type=password",
      [
        "Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "apikey,authorization,x-client-info",
      ])
    #expect(reply.status == 200 && reply.body.isEmpty)
    #expect(reply.headers["access-control-allow-origin"] == "*")
    #expect(
      reply.headers["access-control-allow-headers"] == "apikey,authorization,x-client-info")
    #expect(reply.headers["access-control-allow-methods"]?.contains("POST") == true)
  }

  @Test func `lets a page read a reply, and an error`() {
    for (path, status) in [("/auth/v1/health", 200), ("/auth/v1/user", 401), ("/auth/v1/no", 404)] {
      let reply = send("GET", path, ["Origin": "http://localhost:3000"])
      #expect(reply.status == status)
      #expect(reply.headers["access-control-allow-origin"] == "*")
      #expect(
        reply.headers["access-control-expose-headers"]?.contains("X-Supabase-Api-Version") == true)
    }
  }

  @Test func `says nothing to those who are no page, and nothing of the lab to a page`() {
    let page = ["Origin": "http://evil.example", "Access-Control-Request-Method": "GET"]
    for (method, path, fields) in [
      ("GET", "/auth/v1/health", [:]), ("GET", "/lab/outbox", page),
      ("OPTIONS", "/lab/outbox", page),
      ("OPTIONS", "/lab/faults", page),
    ] as [(String, String, [String: String])] {
      var request = HTTPRequest(method, path)
      for (name, value) in fields { request.headers[name] = value }
      let reply = gateway.answer(request, from: "10.0.0.1").response
      #expect(reply.headers["access-control-allow-origin"] == nil, "\(method) \(path)")
    }
  }
}
