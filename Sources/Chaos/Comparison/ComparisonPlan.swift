package import JSON
package import Phone

extension Comparison {
  /// What is compared.
  package struct Plan: Sendable {
    package var seed: UInt64 = 1
    package var phones = PhoneKind.allCases
    package var stores: [String]
    package var faults = FaultKind.onPhones
    /// How many power cuts in a row.
    package var depth = 1
    /// How many choices of survivors are looked at for one moment; with more, as many are drawn.
    package var cutCountMax = 8

    package init(stores: [String]) {
      self.stores = stores
    }

    package var units: [Unit] {
      phones.flatMap { phone in
        stores.flatMap { store in
          faults.map { Unit(phone: phone, store: store, fault: $0) }
        }
      }
    }
  }

  /// One fault against one store on one phone.
  package struct Unit: Hashable, Sendable, CustomStringConvertible {
    package let phone: PhoneKind
    package let store: String
    package let fault: FaultKind

    package init(phone: PhoneKind, store: String, fault: FaultKind) {
      self.phone = phone
      self.store = store
      self.fault = fault
    }

    package var description: String { "\(phone.rawValue) \(store) \(fault.rawValue)" }
  }
}

extension Comparison.Plan {
  package var json: JSONValue {
    [
      "seed": .number(seed), "phones": .list(phones.map { .text($0.rawValue) }),
      "stores": .list(stores.map(JSONValue.text)),
      "faults": .list(faults.map { .text($0.rawValue) }), "depth": .integer(depth),
      "cuts": .integer(cutCountMax),
    ]
  }

  /// Reads what ``json`` wrote.
  package init(_ node: JSONNode) throws(JSONError) {
    var reader = try node.object("a plan of a comparison")
    self.init(stores: try reader.required("stores").texts())
    seed = try reader.required("seed").unsigned()
    phones = try reader.required("phones").list { node throws(JSONError) in
      try node.word("phone")
    }
    faults = try reader.required("faults").list { node throws(JSONError) in
      try node.word("fault")
    }
    depth = try reader.required("depth").integer(in: 1...Int.max)
    cutCountMax = try reader.required("cuts").integer(in: 1...Int.max)
  }
}
