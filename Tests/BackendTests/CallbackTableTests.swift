import Backend
import Foundation
import JSON
import Ports
import Session
import Testing
import Wire

/// The tables of addresses, which are made for readers of any language.
enum CallbackTable {
  struct Row: Sendable {
    var id: String
    var url: String
    var part: String?
  }

  struct Table {
    var scheme: String
    var origins: String
    var rows: [Row]
  }

  static func read(_ name: String) throws -> Table {
    let file = BetterAuthVectors.ownFolder.appending(path: "callback-urls-\(name).json")
    let value = try JSONReader.read(Array(Data(contentsOf: file))).value
    let rows = try #require(value["cases"]?.list).map { row in
      Row(
        id: row["id"]?.text ?? "?", url: try #require(row["url"]?.text), part: row["part"]?.text)
    }
    return Table(
      scheme: try #require(value["scheme"]?.text),
      origins: try #require(value["allowedOrigins"]?.text), rows: rows)
  }
}

extension HandOffBench {
  convenience init(_ table: CallbackTable.Table) {
    self.init()
    environment.mobileAllowedOrigins = table.origins
    trust.allowedOrigins = table.origins
    fill([("other", "o")])
  }

  /// What an address becomes when somebody puts more parameters behind it.
  static func adding(_ parameters: String, to url: String) -> String {
    url + (url.contains("?") ? "&" : "?") + parameters
  }
}

@Suite struct `A hostile address` {
  // R-HAND-10, R-HAND-11, R-HAND-12
  @Test func `stands in a table of at least 150`() throws {
    let rows = try CallbackTable.read("hostile").rows
    #expect(rows.count >= 150 && Set(rows.map(\.url)).count == rows.count)
    #expect(Set(rows.map(\.id)).count == rows.count)
  }

  // R-HAND-10, R-HAND-12
  @Test func `is refused for the part that the table names`() throws {
    let table = try CallbackTable.read("hostile")
    let list = try HandOffBench(table).trust.list()
    for row in table.rows {
      do throws(CallbackRefusal) {
        _ = try list.admit(row.url)
        #expect(["state", "cookie"].contains(row.part), "\(row.id)")
      } catch {
        #expect(error.part.rawValue == row.part, "\(row.id)")
      }
    }
  }

  // R-HAND-10, R-HAND-12
  @Test(arguments: HandOffProfile.allCases)
  func `moves no cookie in the app`(_ profile: HandOffProfile) async throws {
    let table = try CallbackTable.read("hostile")
    for row in table.rows {
      let bench = HandOffBench(table)
      bench.person.tamper = { address in
        HandOffBench.adding(String(address.drop { $0 != "?" }.dropFirst()), to: row.url)
      }
      let before = bench.store.items[HandOffBench.cookieItem]
      let wanted: HandOffFailure =
        switch row.part {
        case "state": .stateMismatch
        case "cookie": .malformedCookie
        default: .untrustedCallback
        }
      let outcome = bench.signIn(bench.launch(profile).handOff)
      #expect(outcome == .failed(wanted), "\(row.id)")
      #expect(bench.store.items[HandOffBench.cookieItem] == before, "\(row.id)")
    }
  }

  // R-HAND-11, R-HAND-12
  @Test(arguments: ["", "&mobile_challenge=0123456789012345678901234567890123456789012"])
  func `moves no cookie on the server`(_ challenge: String) async throws {
    let table = try CallbackTable.read("hostile")
    let bench = HandOffBench(table)
    let cookies = try bench.signInOnTheWeb()
    for row in table.rows {
      let url = row.part == "state" ? row.url : HandOffBench.adding("state=x", to: row.url)
      bench.serverClock.nowMs += 11_000  // The limit of the path is over.
      let target = "mobile_callback=\(FormText.encode(url))\(challenge)"
      for path in ["/api/auth/mobile-handoff", "/auth"] {
        let reply = bench.request("GET", "\(path)?\(target)", cookies: cookies)
        #expect(reply.status == 403, "\(row.id)")
        #expect(reply.headers["location"] == nil && reply.headers["set-cookie"] == nil, "\(row.id)")
      }
    }
    #expect(bench.server.state.sessions.count == 1)
  }

  // R-HAND-12
  @Test(arguments: ["", "mobile_callback=", "mobile_callback=A&mobile_callback=A"])
  func `may also be none, or two`(_ query: String) throws {
    let bench = HandOffBench()
    let cookies = try bench.signInOnTheWeb()
    let legal = FormText.encode("supastack://auth/callback?state=x")
    let target = "/api/auth/mobile-handoff?\(query.replacing("A", with: legal))"
    #expect(bench.request("GET", target, cookies: cookies).status == 403)
  }
}

@Suite struct `A legal address` {
  // R-HAND-10, R-HAND-11
  @Test func `stands in a table of at least 30`() throws {
    let table = try CallbackTable.read("legal")
    #expect(table.rows.count >= 30 && Set(table.rows.map(\.url)).count == table.rows.count)
    let list = try HandOffBench(table).trust.list()
    for row in table.rows { #expect(try list.admit(row.url).text == row.url, "\(row.id)") }
  }

  // R-HAND-10
  @Test(arguments: HandOffProfile.allCases)
  func `brings the session into the app`(_ profile: HandOffProfile) async throws {
    let table = try CallbackTable.read("legal")
    for row in table.rows {
      let bench = HandOffBench(table)
      bench.person.tamper = { address in
        HandOffBench.adding(String(address.drop { $0 != "?" }.dropFirst()), to: row.url)
      }
      #expect(bench.signIn(bench.launch(profile).handOff) == .signedIn, "\(row.id)")
    }
  }

  // R-HAND-3, R-HAND-11
  @Test func `gets the cookie from the server`() throws {
    let table = try CallbackTable.read("legal")
    let bench = HandOffBench(table)
    let cookies = try bench.signInOnTheWeb()
    for row in table.rows {
      let url = HandOffBench.adding("state=x", to: row.url)
      bench.serverClock.nowMs += 11_000  // The limit of the path is over.
      let reply = bench.request(
        "GET", "/api/auth/mobile-handoff?mobile_callback=\(FormText.encode(url))", cookies: cookies)
      #expect(reply.status == 302, "\(row.id)")
      #expect(reply.headers["location"]?.hasPrefix("\(url)&cookie=") == true, "\(row.id)")
    }
  }
}

@Suite struct `The server's list` {
  let bench = HandOffBench()
  let target =
    "/api/auth/mobile-handoff?mobile_callback=\(FormText.encode("https://app.example.com/a?state=x"))"

  // R-HAND-16
  @Test func `is read at every request`() throws {
    let cookies = try bench.signInOnTheWeb()
    #expect(bench.request("GET", target, cookies: cookies).status == 302)
    bench.environment.mobileAllowedOrigins = "https://other.example.com"
    #expect(bench.request("GET", target, cookies: cookies).status == 403)
    bench.environment.mobileAllowedOrigins = "https://other.example.com,https://app.example.com"
    #expect(bench.request("GET", target, cookies: cookies).status == 302)
    bench.environment.appScheme = nil
    #expect(bench.request("GET", target, cookies: cookies).status == 403)
  }

  // R-HAND-13, R-HAND-14
  @Test(arguments: [
    nil, "", "*", "https://*.example.com", "http://app.example.com", "https://localhost",
    "https://10.0.0.1", "https://app.example.com,https://app.example.com/x",
  ]) func `must be exact in production, or nothing is handed off`(_ origins: String?) throws {
    let cookies = try bench.signInOnTheWeb()
    bench.environment.mobileAllowedOrigins = origins
    let reply = bench.request("GET", target, cookies: cookies)
    #expect(reply.status == 403 && reply.headers["location"] == nil)
    #expect(
      String(decoding: reply.body, as: UTF8.self).contains("MOBILE_ALLOWED_ORIGINS"))
  }

  // R-HAND-15
  @Test(arguments: [nil, ""])
  func `may be empty in development`(_ origins: String?) throws {
    bench.environment.isProduction = false
    let cookies = try bench.signInOnTheWeb()
    bench.environment.mobileAllowedOrigins = origins
    let link = FormText.encode("supastack://auth/callback?state=x")
    let reply = bench.request(
      "GET", "/api/auth/mobile-handoff?mobile_callback=\(link)", cookies: cookies)
    #expect(reply.status == 302)
    #expect(bench.request("GET", target, cookies: cookies).status == 403)
  }
}

extension HandOffBench {
  /// Begins a session in a browser.
  ///
  /// - Returns: Its cookies.
  func signInOnTheWeb() throws -> String {
    let token = try server.idToken(for: "ada@example.com")
    let reply = request(
      "POST", "/api/auth/sign-in/social",
      ["provider": "google", "idToken": ["token": .text(token)]])
    return try String(#require(reply.headers["set-cookie"]).prefix { $0 != ";" })
  }
}
