import Crypto
import Ports
import Session

/// A way to bring the halves out of step, after one good write.
struct Damage: Sendable {
  var name: String
  var make: @Sendable (Bench) -> Void

  static let all = [
    Damage(name: "the key is gone") { $0.key.items = [:] },
    Damage(name: "the key is empty") { $0.key.items[Bench.item] = "" },
    Damage(name: "the key is no hexadecimal") { bench in
      bench.key.items[Bench.item] = "zz" + String(repeating: "5a", count: 31)
    },
    Damage(name: "the key is short") { bench in
      bench.key.items[Bench.item] = String(repeating: "5a", count: 31)
    },
    Damage(name: "the blob is no hexadecimal") { $0.blob.items[Bench.item] = "not hexadecimal" },
    Damage(name: "the blob ends in NUL") { bench in
      bench.blob.items[Bench.item]? += "\0\0\0\0"
    },
    Damage(name: "the key half rejects") { bench in
      bench.key.faults["get"] = NativeError(
        code: "ERR_KEY_CHAIN", message: "User interaction is not allowed.")
    },
    Damage(name: "the blob half rejects") { bench in
      bench.blob.faults["get"] = NativeError(message: "Failed to read storage file.")
    },
  ]
}

extension StoreRule {
  static let healing = StoreRule(
    name: "R-STORE-10 any failure of a read heals", isForRecipe: false
  ) { make in
    var broken: [String] = []
    for damage in Damage.all {
      let bench = Bench()
      let store = try make(bench.ports)
      try await store.setItem(Bench.item, to: try sessionText())
      let goodKey = bench.key.items[Bench.item] ?? ""
      damage.make(bench)
      let keyTexts = [goodKey, bench.key.items[Bench.item] ?? ""].filter { $0.count > 16 }
      var found: JavaScriptString?
      let error = await failure { () throws(StoreError) in
        found = try await store.item(Bench.item)
      }
      let warning = bench.console.warnings.first ?? ""
      // Eight digits of a key in a row, or its bytes as numbers, would be a piece of it.
      let showsKey =
        keyTexts.contains { warning.contains($0.dropFirst(2).prefix(8)) }
        || warning.contains("90,90")
      let claims = [
        ("does not throw", error == nil), ("gives nothing", found == nil),
        ("warns once", bench.console.warnings.count == 1),
        ("names the item", warning.contains(Bench.item)),
        ("names the error", warning.count > Bench.item.count + 2),
        ("shows no key", !showsKey),
        ("no key stays", bench.key.items.isEmpty), ("no blob stays", bench.blob.items.isEmpty),
      ]
      broken += claims.filter { !$0.1 }.map { "\(damage.name): \($0.0)" }
    }
    return broken
  }

  static let healsOnce = StoreRule(
    name: "R-STORE-12 the launch after healing is a clean miss", isForRecipe: false
  ) { make in
    var broken: [String] = []
    for damage in Damage.all {
      let bench = Bench()
      try await make(bench.ports).setItem(Bench.item, to: try sessionText())
      damage.make(bench)
      _ = try? await make(bench.ports).item(Bench.item)
      bench.key.faults = [:]
      bench.blob.faults = [:]
      bench.journal.lines = []
      let found = try? await make(bench.ports).item(Bench.item)
      if found != nil || bench.journal.lines != ["blob.get \(Bench.item)"] {
        broken.append(damage.name)
      }
    }
    return broken
  }

  static let failedHealing = StoreRule(
    name: "R-STORE-15 a failed healing surfaces", isForRecipe: false
  ) { make in
    var broken: [String] = []
    for half in ["key", "blob"] {
      let bench = Bench()
      let store = try make(bench.ports)
      try await store.setItem(Bench.item, to: try sessionText())
      bench.key.items = [:]
      let stuck = NativeError(message: "\(half) cannot be removed")
      (half == "key" ? bench.key : bench.blob).faults["remove"] = stuck
      let error = await failure { () throws(StoreError) in _ = try await store.item(Bench.item) }
      if error != .native(stuck) { broken.append(half) }
    }
    return broken
  }
}

/// A small generator with a fixed start, for texts.
struct UnitDraws {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Code units without surrogates, half of them ASCII.
  mutating func basicPlane(_ count: Int) -> [UInt16] {
    (0..<count).map { _ in
      let unit = UInt16(truncatingIfNeeded: next())
      if next() & 1 == 0 { return unit & 0x7f }
      return (0xd800...0xdfff).contains(unit) ? unit & 0x7ff : unit
    }
  }
}
