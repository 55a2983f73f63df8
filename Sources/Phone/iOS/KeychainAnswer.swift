import Crypto
import JSON

/// What the keychain's service answers.
package struct KeychainAnswer: Equatable, Sendable {
  package var status: SecStatus
  /// The value that a read found.
  package var data: [UInt8]?
  /// The answer to ``KeychainRequest/list``.
  package var items: [Inventory.KeyItem]?
  /// How many items a request of the system took away.
  package var removedCount: Int?

  package init(
    _ status: SecStatus, data: [UInt8]? = nil, items: [Inventory.KeyItem]? = nil,
    removedCount: Int? = nil
  ) {
    self.status = status
    self.data = data
    self.items = items
    self.removedCount = removedCount
  }

  /// The answer as it is sent.
  package var text: String {
    var members = JSONObject()
    members["status"] = .integer(Int64(status.rawValue))
    members["v_Data"] = data.map { .text(Hexadecimal.encode($0)) }
    members["items"] = items.map { .list($0.map(Self.json(of:))) }
    members[ServiceRequest.removedCount] = removedCount.map { .integer(Int64($0)) }
    return JSONWriter.text(of: .object(members))
  }

  private static func json(of item: Inventory.KeyItem) -> JSONValue {
    var members = JSONObject()
    members["acct"] = item.name.map { .text($0) }
    members["detail"] = .text(item.detail)
    members["bytes"] = item.bytes.map { .integer(Int64($0)) }
    members["digest"] = item.digest.map { .text($0) }
    return .object(members)
  }

  /// Reads an answer; what is not one counts as a service that cannot be used.
  package static func reading(_ text: String) -> KeychainAnswer {
    do {
      let fields = try JSONReader.read(text, .json).value
      guard let number = fields["status"]?.integer.flatMap({ Int32(exactly: $0) }) else {
        return KeychainAnswer(.notAvailable)
      }
      return KeychainAnswer(
        SecStatus(rawValue: number),
        data: try fields["v_Data"]?.text.map { try Hexadecimal.decode($0) },
        items: fields["items"]?.list?.map(Self.item(from:)),
        removedCount: fields[ServiceRequest.removedCount]?.integer.map { Int($0) })
    } catch {
      return KeychainAnswer(.notAvailable)
    }
  }

  private static func item(from json: JSONValue) -> Inventory.KeyItem {
    Inventory.KeyItem(
      name: json["acct"]?.text, detail: json["detail"]?.text ?? "",
      bytes: json["bytes"]?.integer.map { Int($0) }, digest: json["digest"]?.text)
  }
}
