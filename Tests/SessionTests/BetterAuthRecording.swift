import Foundation
import JSON
import Ports
import Session
import Testing
import Wire

/// The recording of Better Auth's client, group by group.
enum BetterAuthRecording {
  struct Case {
    var fields: JSONObject

    var id: String { fields["id"]?.text ?? "?" }
    var nowMs: Int64 { fields["now"]?.integer ?? 1_790_000_000_000 }

    func text(_ name: String) -> String? { fields[name]?.text }
    /// One text or a list of them.
    func texts(_ name: String) -> [String] {
      fields[name]?.list?.compactMap(\.text) ?? text(name).map { [$0] } ?? []
    }
  }

  /// What is wrong with one case; nothing if the model gives the recorded answer.
  typealias Check = @Sendable (Case) async throws -> [String]

  /// The cases of a group in the committed recording, or in those of the folder that `LAB_VECTORS`
  /// names.
  static func cases(_ group: String) throws -> [Case] {
    let named = ProcessInfo.processInfo.environment["LAB_VECTORS"]
    let own = Bundle.module.url(forResource: "Vectors", withExtension: nil)
    let folder = try named.map { URL(fileURLWithPath: $0) } ?? #require(own)
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("better-auth") && $0.pathExtension == "json" }
      .flatMap { file in
        let groups = try JSONReader.read(Array(Data(contentsOf: file))).value["groups"]
        return groups?[group]?.list?.compactMap(\.object).map(Case.init) ?? []
      }
  }

  /// Compares an answer with the member `out`.
  static func same(_ found: JSONValue, _ wanted: Case) -> [String] {
    let out = wanted.fields["out"] ?? .null
    return found == out ? [] : ["\(found) instead of \(out)"]
  }

  static func text(_ text: String?) -> JSONValue { text.map(JSONValue.text) ?? .null }

  /// The groups that the client answers.
  static let checks: [String: Check] = [
    "getCookie": { same(text(try CookieJar($0.text("jar")).header(nowMs: $0.nowMs)), $0) },
    "getOAuthStateValue": {
      same(text($0.text("jar").flatMap(CookieJar.init)?.oauthState($0.texts("prefix"))), $0)
    },
    "getSetCookie": { wanted in
      var jar = CookieJar(wanted.text("prevJar"))
      do throws(CookieJarError) {
        try jar.merge(SetCookieHeader(wanted.text("header") ?? ""), nowMs: wanted.nowMs)
      } catch {
        return wanted.fields["error"] == nil ? ["threw \(error)"] : []
      }
      return same(.text(jar.text), wanted)
    },
    "hasBetterAuthCookies": {
      let header = SetCookieHeader($0.text("header") ?? "")
      return same(.bool(CookieName.isAny(in: header, of: $0.texts("prefix"))), $0)
    },
    "hasSessionCookieChanged": {
      let isChanged = CookieJar.isSessionChanged(
        from: $0.text("prevJar"), to: $0.text("newJar") ?? "")
      return same(.bool(isChanged), $0)
    },
    "initHook": initHook,
    "normalizeCookieName": { same(.text(ChunkedStorage.itemName($0.text("name") ?? "")), $0) },
    "onSuccessHook": onSuccessHook,
    "parseSetCookieHeader": {
      let cookies = SetCookieHeader($0.text("header") ?? "").cookies
      return same(.list(cookies.map(describe)), $0)
    },
    "splitSetCookieHeader": {
      same(.list(SetCookieHeader.split($0.text("header") ?? "").map(JSONValue.text)), $0)
    },
    "storageAdapter": storageAdapter,
    "stripSecureCookiePrefix": {
      same(.text(CookieName.withoutSecurePrefix($0.text("name") ?? "")), $0)
    },
  ]

  private static func describe(_ cookie: SetCookieHeader.Cookie) -> JSONValue {
    var attributes = JSONObject()
    for (name, attribute) in cookie.attributes {
      attributes[name] =
        switch attribute {
        case .flag: true
        case .text(let text): .text(text)
        case .seconds(let seconds): seconds.map { .integer(Int64($0)) } ?? "NaN"
        case .time(let time): .text(time?.isoText ?? "Invalid Date")
        case .undefined: "(undefined)"
        }
    }
    attributes["value"] = .text(cookie.value)
    return ["attributes": .object(attributes), "name": .text(cookie.name)]
  }
}

// MARK: - Storage

extension BetterAuthRecording {
  private static func storageAdapter(_ wanted: Case) async throws -> [String] {
    let store = RecordedStore()
    for member in wanted.fields["initial"]?.object?.members ?? [] {
      store.items[member.key] = member.value.text
    }
    let console = CountingConsole()
    let storage = ChunkedStorage(store, .chunks, console: console)
    var found: [String] = []
    for step in wanted.fields["steps"]?.list ?? [] {
      store.restart()
      store.failAtWrite = step["failAtWrite"]?.integer.map(Int.init)
      let name = step["name"]?.text ?? step["key"]?.text ?? ""
      switch step["op"]?.text {
      case "set": await storage.setItem(name, to: value(step))
      case "get":
        if !matches(try await storage.item(name), step["found"] ?? .null) { found.append("found") }
      case "delete": store.items[name] = nil
      default: found.append("unknown step")
      }
      if let operations = step["storeOps"], operations != .list(store.operations) {
        found.append("operations \(store.operations)")
      }
    }
    for entry in wanted.fields["finalStore"]?.list ?? []
    where !matches(store.items[entry["key"]?.text ?? ""], entry) {
      found.append("final \(entry["key"]?.text ?? "")")
    }
    if store.items.count != wanted.fields["finalStore"]?.list?.count { found.append("items") }
    if wanted.fields["logged"]?.integer != Int64(console.count) { found.append("logged") }
    return found
  }

  /// The value of a step: given, or the digits and letters over and over.
  private static func value(_ step: JSONValue) -> String {
    if let text = step["value"]?.text { return text }
    let pattern = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    let prefix = step["prefix"]?.text ?? ""
    let count = Int(step["length"]?.integer ?? 0) - prefix.utf16.count
    return prefix
      + String(decoding: (0..<count).map { pattern[$0 % pattern.count] }, as: UTF8.self)
  }

  /// A text against its description: the whole, or length, beginning and end.
  private static func matches(_ text: String?, _ wanted: JSONValue) -> Bool {
    guard let text else { return wanted == .null }
    if let value = wanted["value"]?.text { return value == text }
    let units = Array(text.utf16).map { JSONValue.integer(Int64($0)) }
    return wanted["length"]?.integer == Int64(units.count)
      && wanted["headUTF16"]?.list == Array(units.prefix(4))
      && wanted["tailUTF16"]?.list == Array(units.suffix(4))
  }
}

// MARK: - Hooks

extension BetterAuthRecording {
  private static func client(
    _ wanted: Case, _ bench: HookBench
  ) async throws -> BetterAuthClient {
    for member in wanted.fields["initial"]?.object?.members ?? [] {
      bench.store.items[member.key] = member.value.text
    }
    bench.store.failsAllWrites = wanted.fields["failWrites"]?.bool ?? false
    bench.clock.nowMs = wanted.nowMs
    let prefixes = wanted.fields["options"]?["cookiePrefix"]?.list?.compactMap(\.text)
    let trust = TrustSettings(scheme: "labapp", allowedOrigins: nil, isProduction: false)
    let setup = BetterAuthSetup(
      apiURL: "https://api.example.test", trust: trust, storagePrefix: "better-auth",
      cookiePrefixes: prefixes ?? ["better-auth"], behaviour: .expo171)
    let client = BetterAuthClient(setup, bench.ports)
    try await client.start()
    bench.store.operations = []
    return client
  }

  private static func path(_ wanted: Case) -> String {
    let url = wanted.text("url") ?? ""
    return String(url.dropFirst("https://api.example.test/api/auth".count))
  }

  private static func initHook(_ wanted: Case) async throws -> [String] {
    let bench = HookBench()
    let client = try await client(wanted, bench)
    let input = wanted.fields["input"]
    let request = try await client.prepare(
      "POST", path(wanted), input?["body"]?.object, headers: headers(input?["headers"]))
    var found: [String] = []
    var sent = JSONObject()
    for field in request.headers.fields where field.name != "content-type" {
      sent[field.name] = .text(field.value)
    }
    if wanted.fields["output"]?["headers"] != .object(sent) { found.append("headers \(sent)") }
    let body = try request.body.isEmpty ? JSONValue.null : JSONReader.read(request.body).value
    if wanted.fields["output"]?["body"] ?? .null != body { found.append("body") }
    return found + stored(wanted, bench) + atom(wanted.fields["sessionAtom"], client.session)
  }

  private static func headers(_ given: JSONValue?) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for member in given?.object?.members ?? [] { headers.add(member.key, member.value.text ?? "") }
    return headers
  }

  private static func onSuccessHook(_ wanted: Case) async throws -> [String] {
    let bench = HookBench()
    let client = try await client(wanted, bench)
    let data = wanted.fields["data"].flatMap { OrderedJSON.reading("\($0)") }
    var found: [String] = []
    var error: BetterAuthError?
    do throws(BetterAuthError) {
      try await client.received(path(wanted), wanted.text("setCookie").map { [$0] } ?? [], data)
    } catch let thrown {
      error = thrown
    }
    let isRange = wanted.text("error") == "RangeError: Invalid time value"
    if error != (isRange ? .jar(.invalidTime) : nil) { found.append("error") }
    let signals = bench.spawner.works.map { _ in JSONValue.text("$sessionSignal") }
    if wanted.fields["notified"]?.list != signals { found.append("notified") }
    if wanted.fields["loggedErrors"]?.integer != Int64(bench.console.count) {
      found.append("logged")
    }
    let operations = bench.store.operations.compactMap { $0.list?.prefix(2) }.map {
      JSONValue.list(Array($0))
    }
    if wanted.fields["ops"]?.list != operations { found.append("operations \(operations)") }
    return found + stored(wanted, bench)
  }

  /// Texts of the store as JSON: the recording keeps data with its keys sorted.
  private static func stored(_ wanted: Case, _ bench: HookBench) -> [String] {
    let store = wanted.fields["finalStore"]?.object
    let names = Set(bench.store.items.keys).union(store?.members.map(\.key) ?? [])
    return names.sorted().filter { name in
      let (one, other) = (bench.store.items[name], store?[name]?.text)
      let isJar = name.hasSuffix("_cookie")
      return isJar ? one != other : one.map(sorted) != other.map(sorted)
    }.map { "stored \($0)" }
  }

  private static func sorted(_ text: String) -> String {
    do { return "\(try JSONReader.read(text).value)" } catch { return text }
  }

  private static func atom(_ wanted: JSONValue?, _ state: SessionState) -> [String] {
    let data = sorted((state.data ?? .null).json)
    return wanted?["data"].map { "\($0)" } == data && wanted?["isPending"] == .bool(state.isPending)
      && state.error == nil ? [] : ["session \(data)"]
  }
}
