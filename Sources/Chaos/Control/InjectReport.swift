package import JSON
package import Phone

/// What a fault did: what it removed, and what remains.
package struct InjectReport: Equatable, Sendable {
  package static let schema = "lab.inject/1"

  /// The word of the catalogue.
  package var fault: String
  /// Which phone it is: `ios`, `android`; empty for a server.
  package var phone = ""
  /// `done`, or `armed` for one that waits for its moment.
  package var status: String
  /// The number of an armed fault.
  package var id: Int?
  /// When an armed fault fires, in words.
  package var moment: String?
  package var removed: [StoredItem] = []
  package var remains: [StoredItem] = []
  /// What came back, or came back as it was; `nil` where nothing was to be brought back.
  package var returned: [StoredItem]?
  /// The snapshot that was taken by itself before it, and brings back what it took.
  package var snapshot: String?
  /// The parts that held something which was not durable yet, and which a power cut could take.
  package var volatile: [String] = []
  /// Which rule of the platform makes the state legal.
  package var rule: String?
  /// No real phone reaches the state this way.
  package var isSynthetic = false

  package init(fault: String, status: String) {
    self.fault = fault
    self.status = status
  }

  /// Notes what both halves held, and what they hold now.
  mutating func note(before: [StoredItem], after: [StoredItem]) {
    removed = before.filter { old in
      !after.contains { $0.place == old.place && $0.name == old.name }
    }
    remains = after
  }

  /// Notes what both halves hold now that they did not hold before.
  mutating func noteReturned(before: [StoredItem]) {
    returned = remains.filter { item in
      !before.contains { old in
        old.place == item.place && old.name == item.name && old.bytes == item.bytes
          && old.digest == item.digest && (item.digest != nil || old.note == item.note)
      }
    }
  }
}

/// One thing that a half of the phone holds.
package struct StoredItem: Equatable, Sendable {
  /// `key`, `blob` or `index`; on a server `account`, `session` or `factor`.
  package var place: String
  package var name: String
  package var bytes: Int?
  /// The first digits of a digest: enough to see a change.
  package var digest: String?
  package var note: String?
}

extension Inventory {
  /// Everything that both halves hold, key half first.
  package var items: [StoredItem] {
    let keyNames = Set((keys ?? []).compactMap(\.name))
    var items = (keys ?? []).map { key in
      StoredItem(
        place: "key", name: key.name ?? "an item that cannot be decrypted", bytes: key.bytes,
        digest: key.digest.map { String($0.prefix(4)) },
        note: key.name != nil && key.digest == nil ? "cannot be decrypted" : nil)
    }
    items += blobs.map { blob in
      var item = StoredItem(
        place: "blob", name: blob.name ?? "a file that no index names", bytes: blob.bytes,
        digest: blob.digest.map { String($0.prefix(4)) })
      if blob.bytes == nil {
        item.note = "its file is missing"
      } else if let name = blob.name, keys != nil, !keyNames.contains(name) {
        item.note = "no key of that name"
      }
      return item
    }
    return items + indexes.compactMap(\.item)
  }
}

extension Inventory.Index {
  /// The index as one thing that is stored; `nil` when it is not there.
  fileprivate var item: StoredItem? {
    switch state {
    case .missing: nil
    case .sound(let bytes): StoredItem(place: "index", name: name, bytes: bytes)
    case .unparsable(let bytes):
      StoredItem(
        place: "index", name: name, bytes: bytes,
        note: "not JSON: the next launch starts with an empty one")
    case .unreadable:
      StoredItem(place: "index", name: name, note: "not readable: every call fails")
    case .damaged(let bytes):
      StoredItem(place: "index", name: name, bytes: bytes, note: "damaged")
    }
  }
}

extension StoredItem {
  var json: JSONValue {
    var fields = JSONObject()
    fields["place"] = .text(place)
    fields["name"] = .text(name)
    fields["bytes"] = bytes.map { .integer($0) }
    fields["digest"] = digest.map { .text($0) }
    fields["note"] = note.map { .text($0) }
    return .object(fields)
  }

  init(_ json: JSONValue) {
    place = json["place"]?.text ?? ""
    name = json["name"]?.text ?? ""
    bytes = json["bytes"]?.integer.map { Int($0) }
    digest = json["digest"]?.text
    note = json["note"]?.text
  }
}

extension InjectReport {
  /// One object with a schema.
  package var json: JSONValue {
    var fields = JSONObject()
    fields["schema"] = .text(Self.schema)
    fields["fault"] = .text(fault)
    fields["phone"] = phone.isEmpty ? nil : .text(phone)
    fields["status"] = .text(status)
    fields["id"] = id.map { .integer($0) }
    fields["moment"] = moment.map { .text($0) }
    fields["removed"] = .list(removed.map(\.json))
    fields["remains"] = .list(remains.map(\.json))
    fields["returned"] = returned.map { .list($0.map(\.json)) }
    fields["snapshot"] = snapshot.map { .text($0) }
    fields["volatile"] = .list(volatile.map(JSONValue.text))
    fields["rule"] = rule.map { .text($0) }
    fields["synthetic"] = .bool(isSynthetic)
    return .object(fields)
  }

  /// Reads what ``json`` gives.
  package init(_ json: JSONValue) {
    self.init(fault: json["fault"]?.text ?? "", status: json["status"]?.text ?? "")
    phone = json["phone"]?.text ?? ""
    id = json["id"]?.integer.map { Int($0) }
    moment = json["moment"]?.text
    removed = (json["removed"]?.list ?? []).map(StoredItem.init)
    remains = (json["remains"]?.list ?? []).map(StoredItem.init)
    returned = json["returned"]?.list?.map(StoredItem.init)
    snapshot = json["snapshot"]?.text
    volatile = (json["volatile"]?.list ?? []).compactMap(\.text)
    rule = json["rule"]?.text
    isSynthetic = json["synthetic"]?.bool ?? false
  }
}
