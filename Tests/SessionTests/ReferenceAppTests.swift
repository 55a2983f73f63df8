import JSON
import Ports
import Session
import Testing

@Suite struct `The reference app` {
  @Test func `notes, announces and saves a sign-in in this order`() async throws {
    let bench = Bench()
    let result = await (try bench.app(.recipe)).run(.signIn(.generation(1)))
    #expect(
      bench.journal.lines == [
        "log began", "point S0", "entropy 32", "key.set \(Bench.item)", "blob.set \(Bench.item)",
        "log ended", "point S1", "point E1",
      ])
    guard case .saved(let session?) = result.outcome else {
      Issue.record("\(result)")
      return
    }
    #expect(session.generation == 1)
    #expect(result.command == "sign-in" && result.warnings.isEmpty)
  }

  @Test(arguments: ["recipe", "healing", "keychain-only"])
  func `reads at the next launch what it saved`(kind: String) async throws {
    let bench = Bench()
    let kind = try #require(StoreKind.named(kind))
    let saved = await (try bench.app(kind)).run(.signIn(.generation(1))).outcome
    let read = await (try bench.app(kind)).run(.get(item: nil)).outcome
    guard case .saved(let one?) = saved, case .session(let other) = read else {
      Issue.record("\(saved), then \(read)")
      return
    }
    #expect(one == other)
  }

  @Test func `refreshes to the next generation, or to a given one`() async throws {
    let bench = Bench()
    _ = await (try bench.app(.healing)).run(.signIn(.generation(1)))
    let app = try bench.app(.healing)
    var seen: [Int?] = []
    var users: Set<String?> = []
    for command in [AppCommand.refresh(to: nil), .refresh(to: nil), .refresh(to: 7)] {
      _ = await app.run(command)
      guard case .session(let session) = await app.run(.get(item: nil)).outcome else { continue }
      seen.append(session.generation)
      users.insert(session.user)
    }
    #expect(seen == [2, 3, 7])
    #expect(users.count == 1)
  }

  @Test func `lets its store know whether the person sees it`() async throws {
    let bench = Bench()
    _ = await (try bench.app(.durable)).run(.signIn(.generation(1)))
    bench.key.items = [:]
    let app = try bench.app(.durable, state: .background)
    let unseen = await app.run(.get(item: nil)).outcome
    guard case .rejected = unseen else {
      Issue.record("\(unseen)")
      return
    }
    #expect(!bench.blob.items.isEmpty)
    _ = await app.run(.become(.active))
    #expect(await app.run(.get(item: nil)).outcome == .absent)
    #expect(bench.blob.items.isEmpty)
  }

  @Test func `rejects a refresh without a session, and writes nothing`() async throws {
    let bench = Bench()
    let result = await (try bench.app(.recipe)).run(.refresh(to: 2))
    #expect(
      result.outcome
        == .rejected(code: "AuthSessionMissingError", message: "Auth session missing!"))
    #expect(bench.journal.lines == ["blob.get \(Bench.item)"])
    #expect(bench.sink.lines.isEmpty)
  }

  @Test func `signs out of both halves, verifier and user item included (R-STORE-8)`()
    async throws
  {
    let bench = Bench()
    let app = try bench.app(.recipe)
    _ = await app.run(.signIn(.generation(1)))
    _ = await app.run(.set(item: "\(Bench.item)-code-verifier", value: "\"v\""))
    bench.journal.lines = []
    #expect(await app.run(.signOut).outcome == .signedOut)
    #expect(bench.key.items.isEmpty && bench.blob.items.isEmpty)
    #expect(bench.journal.lines.first == "log began")
    #expect(bench.journal.lines.suffix(2) == ["log ended", "point E1"])
    #expect(await app.run(.get(item: nil)).outcome == .absent)
  }

  @Test func `sets, reads and removes other items, and shows their digest only`() async throws {
    let bench = Bench()
    let app = try bench.app(.recipe)
    #expect(await app.run(.get(item: "theme")).outcome == .absent)
    #expect(await app.run(.set(item: "theme", value: "dark")).outcome == .saved(nil))
    let one = await app.run(.get(item: "theme")).outcome
    guard case .item(4, let digest) = one else {
      Issue.record("\(one)")
      return
    }
    #expect(digest.count == 16)
    #expect(await app.run(.remove(item: "theme")).outcome == .removed)
    #expect(await app.run(.get(item: "theme")).outcome == .absent)
    _ = await app.run(.signIn(.generation(1)))
    #expect(await app.run(.remove(item: nil)).outcome == .removed)
    #expect(await app.run(.get(item: nil)).outcome == .absent)
  }

  @Test func `shows what a store rejects, with its code`() async throws {
    let bench = Bench()
    let app = try bench.app(.recipe)
    _ = await app.run(.signIn(.generation(1)))
    let locked = NativeError(code: "ERR_KEY_CHAIN", message: "User interaction is not allowed.")
    bench.key.faults = ["get": locked, "set": locked, "remove": locked]
    let expected = AppResult.Outcome.rejected(code: "ERR_KEY_CHAIN", message: locked.message)
    #expect(await app.run(.get(item: nil)).outcome == expected)
    #expect(await app.run(.signIn(.generation(2))).outcome == expected)
    #expect(await app.run(.signOut).outcome == expected)
    #expect(await app.run(.set(item: "theme", value: "dark")).outcome == expected)
  }

  @Test func `reports the warnings of each command once`() async throws {
    let bench = Bench()
    let app = try bench.app(.healing)
    _ = await app.run(.signIn(.generation(1)))
    bench.key.items = [:]
    let first = await app.run(.get(item: nil))
    let second = await app.run(.get(item: nil))
    #expect(first.outcome == .absent && first.warnings.count == 1)
    #expect(second.outcome == .absent && second.warnings.isEmpty)
    #expect(bench.console.warnings == first.warnings, "the console has them too")
  }

  @Test func `lets no token and no key out`() async throws {
    for kind in StoreKind.all {
      let bench = Bench()
      var secrets: Set<String> = []
      var shown: [String] = []
      for command in [
        AppCommand.signIn(.generation(1)), .get(item: nil), .refresh(to: nil),
        .get(item: Bench.item), .signOut, .signIn(.generation(3)),
      ] {
        shown.append(JSONWriter.text(of: await (try bench.app(kind)).run(command).json))
        secrets.formUnion(bench.key.items.values)
      }
      for damage in Damage.all {
        _ = await (try bench.app(kind)).run(.signIn(.generation(1)))
        secrets.formUnion(bench.key.items.values)
        damage.make(bench)
        shown.append(JSONWriter.text(of: await (try bench.app(kind)).run(.get(item: nil)).json))
        bench.key.faults = [:]
        bench.blob.faults = [:]
      }
      for generation in 1...3 {
        let text = try sessionText(generation).repaired
        for member in ["access_token", "refresh_token"] {
          secrets.insert(try #require(JSONReader.read(text)[member]).text())
        }
      }
      shown += bench.sink.lines + bench.console.warnings
      for secret in secrets where secret.count >= 12 {
        for piece in [secret.prefix(12), secret.suffix(12)] {
          #expect(!shown.contains { $0.contains(piece) }, "\(kind.name)")
        }
      }
    }
  }
}

@Suite struct `The client's reaction to a stored text` {
  /// Gives the app a fixed answer of its store.
  final class FixedStore: SessionStore {
    var text: JavaScriptString?
    var removed: [String] = []

    init(_ text: JavaScriptString?) { self.text = text }

    func item(_ name: String) async throws(StoreError) -> JavaScriptString? { text }
    func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {}
    func removeItem(_ name: String) async throws(StoreError) { removed.append(name) }
  }

  func react(
    to text: JavaScriptString?, _ sdk: SDKVersion
  ) async -> (outcome: AppResult.Outcome, removed: [String]) {
    let bench = Bench()
    let store = FixedStore(text)
    let app = ReferenceApp(
      store: store, secure: bench.ports.secure, console: WarningRecorder(bench.console),
      trace: bench.ports.trace,
      clock: bench.clock, log: nil, AppSettings(sdk: sdk))
    return (await app.run(.get(item: nil)).outcome, store.removed)
  }

  static let old = SDKVersion(2, 105, 3)
  static let new = SDKVersion(2, 105, 4)
  static let all = ["", "-code-verifier", "-user"].map { "\(Bench.item)\($0)" }

  @Test func `to nothing and to an empty text is signed out, with nothing removed`() async {
    for sdk in [Self.old, Self.new] {
      for text in [nil, "", "null"] as [JavaScriptString?] {
        let reaction = await react(to: text, sdk)
        #expect(reaction.outcome == .absent && reaction.removed.isEmpty)
      }
    }
  }

  @Test func `to garbage was to delete it, and is to leave it from 2.105.4 on`() async {
    for text in ["\u{7d8}{]", "{\"access_token\":", "𝕏"] as [JavaScriptString] {
      let before = await react(to: text, Self.old)
      #expect(before.outcome == .garbage(isJSON: false, removed: true))
      #expect(before.removed == Self.all)
      let after = await react(to: text, Self.new)
      #expect(after.outcome == .garbage(isJSON: false, removed: false))
      #expect(after.removed.isEmpty)
    }
  }

  @Test func `to JSON that is no session is to delete it, in both`() async {
    for sdk in [Self.old, Self.new] {
      for text in [
        "{}", "[]", "5", "0", "false", "\"text\"",
        "{\"access_token\":\"a\",\"refresh_token\":\"r\"}",
        "{\"access_token\":\"a\",\"expires_at\":1}", "{\"refresh_token\":\"r\",\"expires_at\":1}",
      ] as [JavaScriptString] {
        let reaction = await react(to: text, sdk)
        #expect(reaction.outcome == .garbage(isJSON: true, removed: true), "\(text.repaired)")
        #expect(reaction.removed == Self.all)
      }
    }
  }

  @Test func `to the three members is to take it for a session, whatever their types`() async {
    let text: JavaScriptString = "{\"access_token\":1,\"refresh_token\":null,\"expires_at\":\"\"}"
    guard case .session(let session) = await react(to: text, Self.new).outcome else {
      Issue.record("not taken")
      return
    }
    #expect(session.user == nil && session.generation == nil)
  }

  @Test func `goes by the version's numbers, not by its text`() throws {
    #expect(try !#require(SDKVersion("2.9.99")).leavesUnreadableText)
    #expect(try #require(SDKVersion("2.105.4")).leavesUnreadableText)
    #expect(try #require(SDKVersion("2.105.10")).leavesUnreadableText)
    #expect(try #require(SDKVersion("3.0.0")).leavesUnreadableText)
    #expect(SDKVersion.current.leavesUnreadableText)
    for text in ["", "2", "2.105", "2.105.4.1", "2.105.x", "2..4", "v2.105.4", "2.105.-4"] {
      #expect(SDKVersion(text) == nil, "\(text)")
    }
  }
}

@Suite struct `Named causes of halves out of step (R-STORE-11)` {
  /// Signed out at the next launch, and at the one after, without a rejected call.
  func expectSignedOut(_ bench: Bench, _ kind: StoreKind) async throws {
    for _ in 0..<2 {
      switch await (try bench.app(kind)).run(.get(item: nil)).outcome {
      case .absent, .garbage: break
      case let other: Issue.record("\(kind.name): \(other)")
      }
    }
    _ = await (try bench.app(kind)).run(.signIn(.generation(9)))
    guard case .session(let session) = await (try bench.app(kind)).run(.get(item: nil)).outcome
    else {
      Issue.record("a following sign-in does not hold")
      return
    }
    #expect(session.generation == 9)
  }

  @Test(arguments: ["recipe", "healing"])
  func `a keychain reset ends signed out (R-STORE-13)`(kind: String) async throws {
    let kind = try #require(StoreKind.named(kind))
    let bench = Bench()
    _ = await (try bench.app(kind)).run(.signIn(.generation(1)))
    bench.key.items = [:]
    try await expectSignedOut(bench, kind)
  }

  @Test(arguments: ["recipe", "healing"])
  func `an old blob restored under a newer key ends signed out (R-STORE-13)`(
    kind: String
  ) async throws {
    let kind = try #require(StoreKind.named(kind))
    let bench = Bench()
    _ = await (try bench.app(kind)).run(.signIn(.generation(1)))
    let backup = bench.blob.items
    _ = await (try bench.app(kind)).run(.refresh(to: 2))
    bench.blob.items = backup
    try await expectSignedOut(bench, kind)
  }

  @Test(arguments: ["recipe", "healing"])
  func `a write that finished half way ends signed out (R-STORE-13)`(kind: String) async throws {
    let kind = try #require(StoreKind.named(kind))
    let bench = Bench()
    _ = await (try bench.app(kind)).run(.signIn(.generation(1)))
    bench.blob.faults["set"] = NativeError(message: "killed here")
    _ = await (try bench.app(kind)).run(.refresh(to: 2))
    bench.blob.faults = [:]
    try await expectSignedOut(bench, kind)
  }
}

@Suite struct `The words of an overlap` {
  @Test func `say what they were made of`() throws {
    let overlap = Overlap(generation: 3, writerCount: 2, readerCount: 1, order: [0, 1, 2])
    #expect(try AppCommand(words: overlap.words) == .overlap(overlap))
  }

  @Test(arguments: [
    ["overlap", "--to", "0", "--writers", "2", "--readers", "0", "--order", ""],
    ["overlap", "--to", "2", "--writers", "0", "--readers", "0", "--order", ""],
    ["overlap", "--to", "2", "--writers", "5", "--readers", "0", "--order", ""],
    ["overlap", "--to", "2", "--writers", "2", "--readers", "0", "--order", "09"],
    ["overlap", "--to", "2"],
  ])
  func `are refused where they make no overlap`(words: [String]) {
    #expect(throws: AppCommandError.self) { try AppCommand(words: words) }
  }
}
