import Foundation
import Testing

extension Commands.Results {
  /// What `--html` of searches writes, in a browser that has no network.
  @Suite struct `A page with a matrix` {
    private let user: User

    init() throws { user = try User() }

    private func open(_ name: String) throws -> Browser {
      let browser = try Browser("file://\(user.folder)/\(name)", as: user)
      try browser.wait(for: "document.readyState === 'complete' && location.href !== 'about:blank'")
      return browser
    }

    /// Nothing was said, asked for or cut off, and everything has a name.
    private func expectSound(_ browser: Browser) throws {
      #expect(browser.complaints.isEmpty, "\(browser.complaints)")
      #expect(browser.requested.allSatisfy { $0.hasPrefix("file:") }, "\(browser.requested)")
      #expect(try browser.value("document.querySelectorAll('h1').length") as? Int == 1)
      let lame = """
        [...document.querySelectorAll('table')].filter(table => !table.caption?.textContent ||
          [...table.querySelectorAll('th')].some(head => !['row', 'col'].includes(head.scope)) ||
          [...table.tBodies[0].rows].some(row => row.cells[0].tagName !== 'TH' ||
            row.cells.length !== table.tHead.rows[0].cells.length)).map(table => table.textContent)
        """
      #expect(try browser.value(lame) as? [String] == [])
      let wordless = """
        [...document.querySelectorAll('.good, .wait, .fail')].filter(cell =>
          !/[A-Za-z]/.test(cell.textContent)).map(cell => cell.outerHTML)
        """
      let bare = try #require(try browser.value(wordless) as? [String])
      #expect(bare.allSatisfy { $0.contains("number") }, "\(bare)")
      for width in [320, 360, 800, 1600] {
        try browser.resize(width: width)
        try browser.wait(for: "document.documentElement.scrollWidth <= \(width)")
      }
    }

    /// The rows of the table under a caption, cell by cell.
    private func rows(_ caption: String, in browser: Browser) throws -> [[String]] {
      let script = """
        [...[...document.querySelectorAll('table')].filter(table =>
          table.caption.textContent === `\(caption)`).at(-1).tBodies[0].rows].map(row =>
            [...row.cells].map(cell => cell.textContent))
        """
      return try #require(browser.value(script) as? [[String]], "\(caption)")
    }

    @Test func `of an exploration has every place of the map, and the counts of the JSON`() throws {
      let ended = try user.lab(
        "explore", "--store", "recipe", "--bound", "4", "--html", "map.html", "--json")
      #expect(ended.code == 1)
      let places = try ended.json().objects("map")
      let browser = try open("map.html")
      let names = [("kill", "kill"), ("power-cut", "power cut"), ("call-error", "refused call")]
      let titles = places.compactMap { $0["title"] as? String }.reduce(into: [String]()) {
        if $0.last != $1 { $0.append($1) }
      }
      #expect(titles == ["sign-in", "refresh to 2", "refresh to 3"])
      for title in titles {
        let own = places.filter { $0["title"] as? String == title }
        let caption = "\(title): all \(own.count) places"
        let isFolded =
          try browser.value(
            "[...document.querySelectorAll('caption')].some(c => c.textContent === `\(caption)`)")
          as? Bool == true
        let shown = try rows(isFolded ? caption : title, in: browser)
        #expect(shown.count == own.count, "\(title)")
        let kinds = names.filter { kind, _ in own.contains { $0.at("faults", kind) != nil } }
        for (row, place) in zip(shown, own) {
          for (column, kind) in kinds.enumerated() {
            let counts = place.at("faults", kind.0) as? [String: Int] ?? [:]
            let cell = row[column + 1]
            for (verdict, count) in counts {
              #expect(cell.contains("\(verdict) \(count)"), "\(row) \(place)")
            }
            #expect(!counts.isEmpty || cell == "-", "\(row) \(place)")
          }
        }
      }
      let failures = try #require(try ended.json()["violations"] as? [[String: Any]])
      let cards = "[...document.querySelectorAll('article')].map(card => card.innerText)"
      let told = try #require(try browser.value(cards) as? [String])
      #expect(told.count == failures.count)
      for violation in failures {
        let replay = try #require(violation["replay"] as? String)
        let card = try #require(told.first { $0.contains("./lab replay lab-findings/\(replay)") })
        #expect(card.contains(violation["failure"] as? String ?? "?"))
        #expect(card.contains("\(violation["times"] ?? 0) time"))
      }
      let images = failures.compactMap { $0["images"] as? Int }
      #expect(told.first?.contains("in \(images.max() ?? 0) image") == true)
      try expectSound(browser)
      // What is folded opens by keyboard.
      _ = try browser.value("document.querySelector('#map summary').focus()")
      try browser.type("Enter", "\r")
      try browser.wait(for: "document.querySelector('#map details').open")
      try browser.close()
      let again = try user.lab(
        "explore", "--store", "recipe", "--bound", "4", "--html", "again.html", "--json")
      #expect(try again.output == ended.output && user.read("again.html") == user.read("map.html"))
    }

    @Test func `of a comparison has a cell with mark, word and counts for each row of the JSON`()
      throws
    {
      let ended = try user.lab(
        "compare", "--phone", "ios", "--store", "recipe", "--store", "keychain-only", "--faults",
        "kill,power-cut,lock,hold", "--bound", "2", "--html", "compare.html", "--json")
      #expect(ended.code == 0)
      let browser = try open("compare.html")
      let cells = try rows("Each fault on ios", in: browser)
      #expect(cells.map { $0[0] } == ["kill", "power-cut", "lock", "hold"])
      for row in try ended.json().objects("rows") {
        let fault = try #require(row["fault"] as? String)
        let store = try #require(row["store"] as? String)
        let shown = try #require(cells.first { $0[0] == fault })[store == "recipe" ? 1 : 2]
        let states = try #require(row["states"] as? Int)
        let failures = try #require(row["failures"] as? Int)
        guard states > 0 else {
          #expect(shown == "-")
          continue
        }
        #expect(shown.hasSuffix(" \(row["worst"] ?? "quiet") \(failures)/\(states)"), "\(shown)")
        let marks = ["keep": "k", "recover": "r", "defer": "d", "reject": "j", "cleanOut": "c"]
        let worst = row["worst"] as? String ?? ""
        let mark = failures == 0 ? marks[worst] ?? "." : failures == states ? "F" : "f"
        #expect(shown.hasPrefix("\(mark) "), "\(shown)")
      }
      #expect(try browser.text("main").contains("seed"))
      try expectSound(browser)
      try browser.close()
    }

    @Test func `is refused before any work where it cannot be written`() throws {
      for line in [
        "explore --store recipe --html no/such/map.html",
        "compare --store recipe --html no/such/map.html",
        "explore --store recipe --html map.html --junit ./map.html",
      ] {
        let ended = try user.shell("lab \(line)")
        #expect(ended.code == 2 || ended.code == 64, "\(line)")
        #expect(ended.errors.contains("--html"), "\(ended.errors)")
        #expect(ended.output.isEmpty)
      }
    }
  }
}
