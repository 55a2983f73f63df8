import JSON
import Ports
import Session
import Testing

@Suite struct `The acknowledgement log` {
  @Test func `tells what was acknowledged, what was rejected, and to whom it belongs`()
    async throws
  {
    let bench = Bench()
    let app = try bench.app(.recipe, AppSettings(launch: 4))
    _ = await app.run(.signIn(.generation(1)))
    _ = await app.run(.get(item: nil))
    bench.blob.faults["set"] = NativeError(message: "Failed to write value.")
    _ = await app.run(.refresh(to: 2))
    _ = await app.run(.signOut)
    let entries = try AcknowledgementLog.read(bench.sink.text)
    // The refresh wrote the new key, so the session could not be read again.
    #expect(entries.map(\.command) == ["sign-in", "refresh", "sign-out"])
    #expect(entries.map(\.sequence) == [1, 2, 3])
    #expect(entries.map(\.launch) == [4, 4, 4])
    #expect(entries.map(\.status) == [.ok, .failed("Failed to write value."), .ok])
    #expect(entries.map { $0.session?.generation } == [1, 2, nil])
    #expect(entries.map(\.item) == [Bench.item, Bench.item, Bench.item])
    #expect(entries[0].session?.user == entries[1].session?.user)
    #expect(entries[0].session?.refreshDigest != entries[1].session?.refreshDigest)
  }

  @Test func `has the very identity that a later read gives`() async throws {
    let bench = Bench()
    _ = await (try bench.app(.healing)).run(.signIn(.generation(5)))
    let entry = try #require(try AcknowledgementLog.read(bench.sink.text).first)
    let read = await (try bench.app(.healing)).run(.get(item: nil)).outcome
    #expect(read == entry.session.map(AppResult.Outcome.session))
  }

  @Test func `knows a command that never ended as unknown`() async throws {
    let bench = Bench()
    _ = await (try bench.app(.recipe)).run(.signIn(.generation(1)))
    let began = try #require(bench.sink.lines.first)
    #expect(try AcknowledgementLog.read("\(began)\n").map(\.status) == [.unknown])
  }

  @Test func `takes a cut last line as not written, at every cut`() async throws {
    let bench = Bench()
    _ = await (try bench.app(.recipe)).run(.signIn(.generation(1)))
    let (began, whole) = (bench.sink.lines[0], bench.sink.text)
    for length in 0..<whole.count {
      let entries = try AcknowledgementLog.read(String(whole.prefix(length)))
      #expect(entries.map(\.status) == (length > began.count ? [.unknown] : []))
    }
    #expect(try AcknowledgementLog.read(whole).map(\.status) == [.ok])
  }

  @Test func `keeps two writers apart by their launch`() async throws {
    let bench = Bench()
    _ = await (try bench.app(.recipe, AppSettings(launch: 1))).run(.signIn(.generation(1)))
    _ = await (try bench.app(.recipe, AppSettings(launch: 2))).run(.signIn(.generation(2)))
    let lines = bench.sink.lines
    let mixed = [lines[0], lines[2], lines[3], lines[1]].map { "\($0)\n" }.joined()
    let entries = try AcknowledgementLog.read(mixed)
    #expect(entries.map(\.launch) == [1, 2])
    #expect(entries.map(\.status) == [.ok, .ok])
  }

  @Test func `stops a command that it cannot note before the store is called`() async throws {
    let bench = Bench()
    bench.sink.failure = AcknowledgementFailure(reason: "no space on the host")
    let result = await (try bench.app(.recipe)).run(.signIn(.generation(1)))
    #expect(
      result.outcome
        == .rejected(code: nil, message: "acknowledgement log: no space on the host"))
    #expect(bench.journal.lines.isEmpty)
  }

  @Test func `is refused with its line when it is damaged`() async throws {
    let bench = Bench()
    _ = await (try bench.app(.recipe)).run(.signIn(.generation(1)))
    let (began, ended) = (bench.sink.lines[0], bench.sink.lines[1])
    let damaged = [
      (1, "\(ended)\n"), (2, "\(began)\n\(began)\n"), (3, "\(began)\n\(ended)\n\(ended)\n"),
      (2, "\(began)\n{\n"), (1, "[]\n"), (1, "\n"),
      (1, began.replacing("lab.acknowledgement/1", with: "lab.acknowledgement/2") + "\n"),
      (1, began.replacing("\"item\"", with: "\"itme\"") + "\n"),
      (1, began.replacing("\"sequence\":1", with: "\"sequence\":0") + "\n"),
    ]
    for (line, text) in damaged {
      do throws(AcknowledgementLog.ReadingError) {
        _ = try AcknowledgementLog.read(text)
        Issue.record("taken: \(text)")
      } catch {
        #expect(error.line == line, "\(error)")
      }
    }
  }
}

@Suite struct `A result of the app` {
  static let identity = SessionIdentity(
    user: "u", generation: 2, refreshDigest: "00ff", textDigest: "ff00")

  static let outcomes: [AppResult.Outcome] = [
    .session(identity),
    .session(SessionIdentity(user: nil, generation: nil, refreshDigest: "", textDigest: "")),
    .absent, .garbage(isJSON: true, removed: false), .garbage(isJSON: false, removed: true),
    .item(utf8Bytes: 4, digest: "ab"), .saved(identity), .saved(nil), .removed, .signedOut,
    .rejected(code: "ERR_KEY_CHAIN", message: "no \"keychain\""),
    .rejected(code: nil, message: ""),
  ]

  @Test func `reads back from the line that it is printed as`() throws {
    for outcome in Self.outcomes {
      let result = AppResult(command: "get", outcome: outcome, warnings: ["one", "two"])
      let line = JSONWriter.text(of: result.json)
      #expect(!line.contains("\n") && line.contains("\"schema\":\"lab.app/1\""))
      #expect(try AppResult(JSONReader.read(line)) == result)
    }
  }

  @Test func `is refused when a field is unknown, missing or of another schema`() throws {
    let line = JSONWriter.text(of: AppResult(command: "get", outcome: .absent).json)
    for other in [
      line.replacing("lab.app/1", with: "lab.app/2"), line.replacing("absent", with: "gone"),
      line.replacing("\"command\"", with: "\"comand\""),
      line.replacing("\"absent\"", with: "\"session\""),
    ] {
      #expect(throws: JSONError.self) { try AppResult(JSONReader.read(other)) }
    }
  }
}

@Suite struct `A command of the app` {
  @Test func `is read from its words`() throws {
    let table: [([String], AppCommand)] = [
      (["sign-in"], .signIn(.generation(1))),
      (["sign-in", "--generation", "3"], .signIn(.generation(3))),
      (["sign-in", "--text", "{}"], .signIn(.text("{}"))),
      (["get"], .get(item: nil)), (["get", "theme"], .get(item: "theme")),
      (["set", "theme", "dark"], .set(item: "theme", value: "dark")),
      (["secret", "pin", "1"], .secret(item: "pin", value: "1")),
      (["remove"], .remove(item: nil)), (["remove", "theme"], .remove(item: "theme")),
      (["refresh"], .refresh(to: nil)), (["refresh", "--to", "2"], .refresh(to: 2)),
      (["sign-out"], .signOut),
    ]
    for (words, command) in table {
      #expect(try AppCommand(words: words) == command)
      #expect(command.name == words[0])
    }
    #expect(Set(table.map(\.1.name)).count == AppCommand.usage.count)
  }

  @Test func `that is none says what is allowed`() throws {
    for words in [
      [], ["sing-in"], ["sign-in", "now"], ["get", "a", "b"], ["set", "theme"],
      ["refresh", "--to"], ["refresh", "--to", "0"], ["refresh", "--to", "two"],
      ["sign-in", "--generation", "-1"], ["sign-out", "--force"],
    ] {
      #expect(throws: AppCommandError.self) { try AppCommand(words: words) }
    }
    #expect(throws: AppCommandError("wrong words after 'refresh'; allowed: refresh [--to N]")) {
      try AppCommand(words: ["refresh", "2"])
    }
  }
}
