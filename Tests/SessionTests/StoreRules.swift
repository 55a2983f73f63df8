import Crypto
import Ports
import Session
import Testing

/// Rules of the two-half stores as checks that say what is wrong, so that each can be run on a
/// store that must keep the rule and on one that must not.
struct StoreRule: Sendable, CustomTestStringConvertible {
  /// How a check makes the store under test.
  typealias Maker = (StorePorts) throws -> any SessionStore

  /// The requirement and what it is about: `R-STORE-6 key before blob`.
  var name: String
  /// Whether a store without healing keeps it too.
  var isForRecipe = true
  var check: @Sendable (Maker) async throws -> [String]

  var testDescription: String { name }

  static let all = [
    largeValues, secrecy, freshKeys, hexadecimal, sameName, writeOrder, roundTrip, removal,
    cleanMiss, healing, healsOnce, failedHealing, failedWrite,
  ]

  static func named(_ name: String) -> StoreRule? { all.first { $0.name == name } }
}

/// Collects what did not hold.
private func violations(_ claims: [(String, Bool)]) -> [String] {
  claims.filter { !$0.1 }.map(\.0)
}

// MARK: - Writing

extension StoreRule {
  static let largeValues = StoreRule(name: "R-STORE-1 a session of 4 to 8 KB") { make in
    var claims: [(String, Bool)] = []
    for bytes in [4096, 6000, 8192] {
      let bench = Bench()
      let store = try make(bench.ports)
      let text = JavaScriptString(String(repeating: "{\"a\":1}\n", count: bytes / 8))
      try await store.setItem(Bench.item, to: text)
      claims.append(("\(bytes) bytes come back", try await store.item(Bench.item) == text))
      claims.append(("no warning", bench.console.warnings.isEmpty))
      claims.append(("64 bytes of key", bench.key.items.values.allSatisfy { $0.count == 64 }))
    }
    return violations(claims)
  }

  static let secrecy = StoreRule(name: "R-STORE-2 key and ciphertext only") { make in
    let bench = Bench()
    let text = try sessionText()
    try await make(bench.ports).setItem(Bench.item, to: text)
    let stored = Array(bench.key.items.values) + Array(bench.blob.items.values)
    let plain = text.repaired
    let isInside = stored.contains { half in
      // Any run of 12 characters of the session, which a token has many of.
      stride(from: 0, to: plain.count - 12, by: 7).contains { offset in
        half.contains(plain.dropFirst(offset).prefix(12))
      }
    }
    let key = bench.key.items.values.first.flatMap { try? Hexadecimal.decode($0) }
    return violations([("no plaintext", !isInside), ("a key of 32 bytes", key?.count == 32)])
  }

  static let freshKeys = StoreRule(name: "R-STORE-3 a new key for each write") { make in
    let bench = Bench()
    let store = try make(bench.ports)
    var keys: Set<String> = []
    var blobs: Set<String> = []
    for _ in 0..<20 {
      try await store.setItem(Bench.item, to: "the same value")
      keys.formUnion(bench.key.items.values)
      blobs.formUnion(bench.blob.items.values)
    }
    return violations([
      ("20 keys", keys.count == 20), ("20 blobs", blobs.count == 20),
      (
        "one draw of 32 bytes a write",
        bench.journal.only("entropy") == Array(repeating: "entropy 32", count: 20)
      ),
    ])
  }

  static let hexadecimal = StoreRule(name: "R-STORE-4 hexadecimal of twice the size") { make in
    var claims: [(String, Bool)] = []
    for text in ["a", "é€", "{\"name\":\"Zoë\"}", String(repeating: "x", count: 5000)] {
      let bench = Bench()
      try await make(bench.ports).setItem(Bench.item, to: JavaScriptString(text))
      let blob = bench.blob.items[Bench.item] ?? ""
      claims.append(("two digits a byte", blob.count == 2 * text.utf8.count))
      claims.append(("lower-case digits", blob.allSatisfy { "0123456789abcdef".contains($0) }))
    }
    return violations(claims)
  }

  static let sameName = StoreRule(name: "R-STORE-5 one name in both halves") { make in
    let bench = Bench()
    let store = try make(bench.ports)
    for name in [Bench.item, "sb-demo-auth-token-code-verifier"] {
      try await store.setItem(name, to: "value")
    }
    return violations([
      ("key names", bench.key.items.keys.sorted() == bench.blob.items.keys.sorted()),
      ("as asked", Set(bench.key.items.keys).contains(Bench.item)),
      ("two items", bench.key.items.count == 2),
    ])
  }

  static let writeOrder = StoreRule(name: "R-STORE-6 key, then blob") { make in
    let bench = Bench()
    try await make(bench.ports).setItem(Bench.item, to: "value")
    let calls = bench.journal.lines.filter { !$0.hasPrefix("entropy") }
    let expected = ["key.set \(Bench.item)", "blob.set \(Bench.item)"]
    return violations([
      ("the key is drawn first", bench.journal.lines.first?.hasPrefix("entropy") == true),
      ("key before blob, and nothing else", calls == expected),
    ])
  }

  static let failedWrite = StoreRule(name: "R-STORE-16 a failed write rejects") { make in
    var claims: [(String, Bool)] = []
    for half in ["key", "blob"] {
      let bench = Bench()
      let store = try make(bench.ports)
      let full = NativeError(message: "\(half) is full")
      (half == "key" ? bench.key : bench.blob).faults["set"] = full
      let error = await failure { () throws(StoreError) in
        try await store.setItem(Bench.item, to: "value")
      }
      claims.append(("\(half)", error == .native(full)))
    }
    return violations(claims)
  }
}

// MARK: - Reading and removing

extension StoreRule {
  static let roundTrip = StoreRule(name: "R-STORE-7 a read undoes a write") { make in
    let bench = Bench()
    let store = try make(bench.ports)
    var draws = UnitDraws(state: 7)
    var broken: [String] = []
    for length in 0..<200 {
      // An empty value is a falsy blob, and a clean miss by R-STORE-9.
      let text = JavaScriptString(units: draws.basicPlane(length + 1))
      try await store.setItem(Bench.item, to: text)
      if try await store.item(Bench.item) != text { broken.append("\(length + 1) units") }
    }
    return broken
  }

  static let removal = StoreRule(name: "R-STORE-8 a removal takes both halves") { make in
    let bench = Bench()
    let store = try make(bench.ports)
    try await store.setItem(Bench.item, to: "value")
    try await store.setItem("other", to: "value")
    try await store.removeItem(Bench.item)
    var claims = [
      ("no key", bench.key.items[Bench.item] == nil),
      ("no blob", bench.blob.items[Bench.item] == nil),
      ("other items stay", bench.key.items.count == 1 && bench.blob.items.count == 1),
    ]
    let again = await failure { () throws(StoreError) in try await store.removeItem(Bench.item) }
    claims.append(("removing nothing is no error", again == nil))
    return violations(claims)
  }

  static let cleanMiss = StoreRule(name: "R-STORE-9 no blob is a clean miss") { make in
    let bench = Bench()
    bench.key.items[Bench.item] = String(repeating: "ab", count: 32)
    let found = try await make(bench.ports).item(Bench.item)
    return violations([
      ("nothing comes back", found == nil),
      ("one read of the blob and no other call", bench.journal.lines == ["blob.get \(Bench.item)"]),
      ("no warning", bench.console.warnings.isEmpty),
    ])
  }
}
