/// One request as it goes over the wire.
package struct HTTPRequest: Equatable, Sendable {
  package var method: String
  /// Path and query, percent-encoded: what follows the method on the request line.
  package var target: String
  package var headers: HTTPHeaders
  package var body: [UInt8]

  package init(
    _ method: String, _ target: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
  }

  /// The target without its query.
  package var path: Substring { target.prefix { $0 != "?" } }

  /// What follows the first `?`; empty without one.
  package var query: Substring { target.dropFirst(path.count).dropFirst() }
}

/// One reply as it goes over the wire.
package struct HTTPResponse: Equatable, Sendable {
  package var status: Int
  package var headers: HTTPHeaders
  package var body: [UInt8]

  package init(_ status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Header fields in their order. Names are compared without regard to ASCII case.
package struct HTTPHeaders: Equatable, Sendable {
  package struct Field: Equatable, Sendable {
    package var name: String
    package var value: String
  }

  package private(set) var fields: [Field] = []

  package init() {}

  /// The value of the first field of a name. Setting replaces all of that name; `nil` removes them.
  package subscript(name: String) -> String? {
    get { values(of: name).first }
    set {
      fields.removeAll { Self.isEqual($0.name, name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// The values of all fields of a name, as of `Set-Cookie`.
  package func values(of name: String) -> [String] {
    fields.filter { Self.isEqual($0.name, name) }.map(\.value)
  }

  package mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  private static func isEqual(_ one: String, _ other: String) -> Bool {
    one.utf8.elementsEqual(other.utf8) { lowercased($0) == lowercased($1) }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}

/// How app code reaches its server. In process, or loopback HTTP.
package protocol HTTPTransport: AnyObject {
  /// Sends one request and waits for the reply.
  ///
  /// - Throws: ``NetworkError`` when no reply came. Whether the server did what was asked is then
  ///   unknown.
  func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse
}

/// No reply came, as JavaScript's `fetch` says it.
package struct NetworkError: Error, Equatable, Sendable {
  package var message: String

  package init(message: String) { self.message = message }
}

/// What a server does with a request: one at a time, without waiting for anything.
package protocol HTTPService: AnyObject {
  /// - Parameters:
  ///   - request: The request.
  ///   - address: Where it comes from, as limiters and the check of factors compare it.
  /// - Returns: The reply; a request that nobody understands gets one, too.
  func answer(_ request: HTTPRequest, from address: String) -> ServerReply
}

/// A response, and how it reaches the client. What the server did is done in any case.
package struct ServerReply: Equatable, Sendable {
  /// What the front does with a response.
  package enum Delivery: Equatable, Sendable {
    case now
    case after(Duration)
    /// The connection stays open, and nothing comes.
    case never
    /// The connection ends without a byte of the response.
    case cut
  }

  package var response: HTTPResponse
  package var delivery: Delivery

  package init(_ response: HTTPResponse, _ delivery: Delivery = .now) {
    self.response = response
    self.delivery = delivery
  }
}

extension ServerReply.Delivery {
  /// The header that says how a reply is to be delivered, where somebody else does that.
  package static let header = "Lab-Delivery"

  /// As ``init(text:)`` reads it.
  package var text: String {
    switch self {
    case .now: "now"
    case .after(let delay): String(Int64(delay / .milliseconds(1)))
    case .never: "never"
    case .cut: "cut"
    }
  }

  /// Reads ``text``; a delay is in milliseconds.
  package init?(text: String) {
    switch text {
    case "now": self = .now
    case "never": self = .never
    case "cut": self = .cut
    default:
      guard let ms = Int64(text) else { return nil }
      self = .after(.milliseconds(ms))
    }
  }
}
