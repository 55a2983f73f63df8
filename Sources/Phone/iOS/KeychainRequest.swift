import Crypto
package import JSON

/// What the keychain's service can be asked, as JSON over the system's channel.
package enum KeychainRequest: Equatable, Sendable {
  // What apps call.
  case add(SecItem)
  /// Without an accessibility the item keeps its own.
  case update(SecItemQuery, data: [UInt8], accessibility: Accessibility? = nil)
  case copyMatching(SecItemQuery)
  case delete(SecItemQuery)

  // What the lab does to the phone.
  /// All items, without their values: see ``KeychainAnswer/items``.
  case list
  case setLockState(LockState)
  /// Removes the items of `akpu`: no backup carries them, and they end with the passcode.
  case dropPasscodeItems
  /// Gives the phone another device key and takes along what an encrypted backup carries; items
  /// for the old phone only are removed.
  case moveToNewDevice
  case ping
  case quit

  /// Whether it commits an item, or the removal of one.
  package var changesItems: Bool {
    switch self {
    case .add, .update, .delete: true
    default: false
    }
  }

  /// The request as it is sent.
  package var text: String { JSONWriter.text(of: json) }

  private var json: JSONValue {
    switch self {
    case .add(let item):
      Self.call(
        "SecItemAdd", item.query,
        [
          "pdmn": .text(item.accessibility.rawValue),
          "v_Data": .text(Hexadecimal.encode(item.data)),
        ])
    case .update(let query, let data, let accessibility):
      Self.call(
        "SecItemUpdate", query,
        [
          "pdmn": accessibility.map { .text($0.rawValue) },
          "v_Data": .text(Hexadecimal.encode(data)),
        ].compactMapValues(\.self))
    case .copyMatching(let query): Self.call("SecItemCopyMatching", query, [:])
    case .delete(let query): Self.call("SecItemDelete", query, [:])
    case .list: ["call": "list"]
    case .setLockState(let state): ["call": "setLockState", "state": .text(state.rawValue)]
    case .dropPasscodeItems: ["call": "dropPasscodeItems"]
    case .moveToNewDevice: ["call": "moveToNewDevice"]
    case .ping: ["call": "ping"]
    case .quit: ["call": "quit"]
    }
  }

  private static func call(
    _ name: String, _ query: SecItemQuery, _ more: [String: JSONValue]
  ) -> JSONValue {
    var members: [JSONObject.Member] = [
      .init(key: "call", value: .text(name)), .init(key: "class", value: "genp"),
      .init(key: "acct", value: .text(query.account)),
      .init(key: "svce", value: .text(query.service)),
      .init(key: "gena", value: .text(query.generic)),
      .init(key: "agrp", value: .text(query.accessGroup)),
    ]
    members += more.map { JSONObject.Member(key: $0.key, value: $0.value) }
    return .object(JSONObject(members))
  }

  /// Reads a request.
  ///
  /// - Throws: `JSONError` when it is not one, or has a key that nobody knows.
  package init(_ text: String) throws(JSONError) {
    let node = try JSONReader.read(text, .json)
    var reader = try node.object("a keychain request")
    let call = try reader.required("call")
    switch try call.text() {
    case "SecItemAdd":
      let query = try Self.query(from: &reader)
      let accessibility = try reader.required("pdmn").word("class", as: Accessibility.self)
      let data = try Self.data(from: &reader)
      self = .add(SecItem(query: query, accessibility: accessibility, data: data))
    case "SecItemUpdate":
      let query = try Self.query(from: &reader)
      let accessibility = try reader.optional("pdmn")?.word("class", as: Accessibility.self)
      self = .update(query, data: try Self.data(from: &reader), accessibility: accessibility)
    case "SecItemCopyMatching": self = .copyMatching(try Self.query(from: &reader))
    case "SecItemDelete": self = .delete(try Self.query(from: &reader))
    case "list": self = .list
    case "setLockState":
      self = .setLockState(try reader.required("state").word("lock state", as: LockState.self))
    case "dropPasscodeItems": self = .dropPasscodeItems
    case "moveToNewDevice": self = .moveToNewDevice
    case "ping": self = .ping
    case "quit": self = .quit
    case let other: throw call.error("unknown call '\(other)'")
    }
    try reader.finish()
  }

  private static func query(from reader: inout ObjectReader) throws(JSONError) -> SecItemQuery {
    _ = try reader.required("class").word("class", of: ["genp"])
    return SecItemQuery(
      account: try reader.required("acct").text(), service: try reader.required("svce").text(),
      generic: try reader.required("gena").text(),
      accessGroup: try reader.required("agrp").text())
  }

  private static func data(from reader: inout ObjectReader) throws(JSONError) -> [UInt8] {
    let node = try reader.required("v_Data")
    do {
      return try Hexadecimal.decode(try node.text())
    } catch let error as JSONError {
      throw error
    } catch {
      throw node.error("not hexadecimal")
    }
  }
}
