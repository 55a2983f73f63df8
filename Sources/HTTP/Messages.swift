import CEvent
import Ports

extension HTTPHeaders {
  /// Takes over the fields of a message that evhttp has read.
  init(_ list: UnsafeMutablePointer<evkeyvalq>?) {
    self.init()
    var next = unsafe list?.pointee.tqh_first
    while let field = unsafe next {
      if let name = unsafe field.pointee.key, let value = unsafe field.pointee.value {
        unsafe add(String(cString: name), String(cString: value))
      }
      unsafe next = field.pointee.next.tqe_next
    }
  }

  /// Puts the fields on a message that evhttp will write.
  ///
  /// - Returns: `false` when a field would break the message: its value holds a line end.
  func write(to list: UnsafeMutablePointer<evkeyvalq>?) -> Bool {
    fields.allSatisfy { unsafe evhttp_add_header(list, $0.name, $0.value) == 0 }
  }
}

/// The bytes of a buffer that stay its own.
func bytes(of buffer: OpaquePointer?) -> [UInt8] {
  let count = unsafe evbuffer_get_length(buffer)
  return unsafe [UInt8](unsafeUninitializedCapacity: count) { target, used in
    used = max(0, unsafe evbuffer_copyout(buffer, target.baseAddress, count))
  }
}

/// The methods that evhttp has a number for.
enum Method: String, CaseIterable {
  case get = "GET"
  case post = "POST"
  case head = "HEAD"
  case put = "PUT"
  case delete = "DELETE"
  case options = "OPTIONS"
  case patch = "PATCH"

  init?(_ command: evhttp_cmd_type) {
    guard let known = Self.allCases.first(where: { $0.command == command }) else { return nil }
    self = known
  }

  var command: evhttp_cmd_type {
    switch self {
    case .get: EVHTTP_REQ_GET
    case .post: EVHTTP_REQ_POST
    case .head: EVHTTP_REQ_HEAD
    case .put: EVHTTP_REQ_PUT
    case .delete: EVHTTP_REQ_DELETE
    case .options: EVHTTP_REQ_OPTIONS
    case .patch: EVHTTP_REQ_PATCH
    }
  }

  /// All of them, as a mask of evhttp's.
  static var all: UInt16 { allCases.reduce(0) { $0 | UInt16($1.command.rawValue) } }
}
