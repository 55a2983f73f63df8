import Foundation
import Testing

extension Commands.Results {
  @Suite struct `A report page in a browser` {
    private let user: User

    init() throws { user = try User() }

    /// Runs a command that writes `lab.html`, and opens that.
    private func page(
      of command: String, code: Int32, width: Int = 1200
    ) throws -> (ended: Ended, browser: Browser) {
      let ended = try user.begin(shell: "lab \(command) --html lab.html").wait(seconds: 300)
      #expect(ended.code == code, "\(ended.output)\(ended.errors)")
      #expect(ended.errors.contains("written: lab.html"))
      let browser = try Browser("file://\(user.folder)/lab.html", width: width, as: user)
      try browser.wait(
        for: "document.readyState === 'complete' && !!document.querySelector('main')")
      return (ended, browser)
    }

    /// A page that complained, or asked for anything but itself, is none of ours.
    private func end(_ browser: Browser) throws {
      #expect(browser.complaints.isEmpty, "\(browser.complaints)")
      #expect(browser.requested.allSatisfy { $0 == "file://\(user.folder)/lab.html" })
      try browser.close()
    }

    /// Recipe fails at K1 and B0, and the file does not say so.
    private func writeScenario(story: String = "A save is torn.") throws {
      try user.write(
        """
        { schema: "lab.scenario/1", title: "Bad", phones: ["ios"],
          story: "\(story)", stores: ["recipe", "durable"],
          steps: [{ do: "sign-in" }, { do: "refresh", to: 2, fault: "kill@each" },
            { do: "launch" }],
          expect: { good: { "S0,K0": ["recover"], "K1,B0": ["keep|recover"], "*": ["keep"] } } }
        """, to: "bad.json5")
    }

    private static let shown =
      "[...document.querySelectorAll('.runs tbody tr')].filter(row => row.checkVisibility()).length"

    private func count(_ selector: String, _ browser: Browser) throws -> Int? {
      try browser.value("document.querySelectorAll(`\(selector)`).length") as? Int
    }

    private func focus(_ browser: Browser) throws -> String? {
      try browser.value("document.activeElement.id") as? String
    }

    /// The cells of each row, without what only says whether it was expected.
    private func cells(_ browser: Browser) throws -> [[String]] {
      let value = try browser.value(
        """
        [...document.querySelectorAll('.runs tbody tr')].map(row =>
          [...row.cells].slice(0, 6).map(cell => cell.textContent))
        """)
      return try #require(value as? [[String]])
    }

    @Test func `has the rows of the JSON, and each can be found`() throws {
      let (ended, browser) = try page(of: "run torn-save --tier simulated --json", code: 0)
      try expectEachRun(of: ended.json(), in: browser)
      #expect(
        try browser.text("#verdicts caption")
          == "All 56 runs in 7 rows: those of a scenario that went alike share one")
      #expect(try browser.value(Self.shown) as? Int == 7)
      _ = try browser.value(
        """
        (() => { const field = document.forms.filter.elements.store; field.value = 'durable';
          field.dispatchEvent(new Event('input', { bubbles: true })); })()
        """)
      try browser.wait(for: "document.getElementById('count').textContent === '12 of 56 runs'")
      #expect(try browser.value("location.hash") as? String == "#store=durable")
      try browser.type("/", "/")
      for letter in "K1 ios" { try browser.type(String(letter), String(letter)) }
      try browser.wait(for: "document.getElementById('count').textContent === '0 of 56 runs'")
      _ = try browser.value("location.hash = '#verdict=falseSignOut'")
      try browser.wait(for: "document.getElementById('count').textContent === '8 of 56 runs'")
      #expect(try browser.value("document.forms.filter.elements.find.value") as? String == "")
      try browser.click(".strip a[href='#show=known']")
      try browser.wait(for: "location.hash.includes('show=known')")
      // Recipe and healing, K1 and B0, on both phones.
      #expect(try browser.value(Self.shown) as? Int == 2)
      try browser.click("#filter button[type=reset]")
      try browser.wait(for: "\(Self.shown) === 7")
      try browser.click(".runs th[data-key=store] button")
      #expect(try cells(browser).first?[3] == "durable")
      try browser.click(".runs th[data-key=store] button")
      #expect(try cells(browser).first?[3] == "recipe, healing, keychain-only, durable")
      let sort = "document.querySelector('th[data-key=store]').getAttribute('aria-sort')"
      #expect(try browser.value(sort) as? String == "descending")
      try end(browser)
    }

    @Test func `tells each finding, and is used by keyboard`() throws {
      try writeScenario(story: "It says <img src=x onerror=console.error(1)> & more.")
      let (_, browser) = try page(of: "run bad.json5 --tier simulated", code: 1)
      #expect(try browser.text("h1") == "1 finding: falseSignOut")
      let card = try browser.text("#finding-1")
      for text in [
        "bad, K1 (key written)", "It says <img src=x", "KILLED", "the app shows: no session",
        "kill-between-calls (legal)", "Source: Apple", "Its file expects: keep or recover",
        "The same run without the fault: keep", "The same in 1 more case: B0",
        "./lab run bad.json5 --store recipe --case K1 --seed 1",
        "./lab replay bad.json5 --case K1 --as simctl",
      ] { #expect(card.contains(text), "\(text) in\n\(card)") }
      #expect(try count("#finding-1 .story > .fault", browser) == 1)
      #expect(try count("#finding-1 .story > .wrong .number", browser) == 1)
      #expect(try browser.text("#finding-1 .story > .wrong .number").contains("3!"))
      #expect(try browser.value("document.querySelector('main img')") == nil)
      // Each row with something in a half says what was there, before and after.
      let peeks =
        "[...document.querySelectorAll('#finding-1 .peek dl')].map(one => one.textContent)"
      let told = try #require(try browser.value(peeks) as? [String])
      #expect(try count("#finding-1 .story > li:not(.heads)", browser) == told.count)
      let first = try #require(told.first)
      #expect(
        first.contains(#/key halfbefore: nothingafter: key 1, 64 bytes, digest [0-9a-f]{4}, /#))
      let last = try #require(told.last)
      #expect(last.contains(#/key halfunchanged: key 2, 64 bytes, digest [0-9a-f]{4}, volatile/#))
      #expect(last.contains(#/blob halfunchanged: blob 1, [0-9]+ bytes, digest [0-9a-f]{4}, /#))
      let before = try count("#finding-1-operations .operations .hit", browser)
      #expect(before == 1)

      try browser.type("n", "n")
      #expect(try focus(browser) == "finding-1-title")
      try browser.type("?", "?")
      try browser.wait(for: "document.getElementById('keys').open")
      _ = try browser.value("document.getElementById('shortcuts').click()")
      #expect((try browser.value("location.hash") as? String)?.contains("keys=off") == true)
      _ = try browser.value("document.activeElement.blur()")
      try browser.type("/", "/")
      #expect(try focus(browser) != "find" && focus(browser) == "")
      _ = try browser.value("document.querySelector('#finding-1-operations summary').click()")
      try browser.wait(for: "location.hash.includes('finding-1-operations')")
      _ = try browser.value("location.hash = '#at=proof'")
      try browser.wait(for: "!document.getElementById('finding-1-operations').open")

      // What a browser without a screen lets a page copy is its own affair; it says which.
      try browser.click("[data-copies=finding-1-replay]")
      try browser.wait(
        for: "/copied|does not let/.test(document.getElementById('said').textContent)")
      try end(browser)
    }

    @Test func `has a name for everything, and fits a narrow phone`() throws {
      try writeScenario()
      let (_, browser) = try page(of: "run bad.json5 --tier simulated", code: 1)
      let nameless = """
        [...document.querySelectorAll('button, input, select')].filter(element =>
          !element.innerText?.trim() && !element.labels?.length && element.checkVisibility())
          .map(element => element.outerHTML)
        """
      #expect(try browser.value(nameless) as? [String] == [])
      #expect(try count("h1", browser) == 1)
      #expect(try count("main", browser) == 1)
      #expect(try count("table:not(:has(caption))", browser) == 0)
      #expect(try count("thead th:not([scope=col]), tbody th:not([scope=row])", browser) == 0)
      try browser.type("Tab")
      #expect(
        try browser.value("document.activeElement.className === 'skip'") as? Bool == true)
      for width in [320, 360, 800, 1600] {
        try browser.resize(width: width)
        try browser.wait(for: "document.documentElement.scrollWidth <= \(width)")
        let small = """
          [...document.querySelectorAll('button, select, input, summary, nav a')].filter(element =>
            element.checkVisibility()).map(element => element.getBoundingClientRect())
            .filter(box => box.height < 24 || box.width < 24).length
          """
        #expect(try browser.value(small) as? Int == 0, "\(width)")
      }
      try end(browser)
    }

    @Test func `is whole without its script, and equal for equal runs`() throws {
      try writeScenario()
      let command = "lab run \(user.folder)/bad.json5 --tier simulated --html"
      #expect(try user.shell("\(command) one.html").code == 1)
      #expect(try user.shell("\(command) other.html").code == 1)
      let html = try user.read("one.html")
      #expect(try user.read("other.html") == html)
      #expect(!html.contains(user.folder), "a path of this machine")
      // A token of the auth server, and what a session text holds.
      for secret in ["eyJ", "refresh_token", "access_token"] { #expect(!html.contains(secret)) }
      for name in ["http:", "https:", "url(", "@import", "src=", "file:"] {
        #expect(!html.contains(name), "\(name)")
      }
      try user.write(
        html.replacing(#/<script>(?s:.)*<\/script>/#, with: ""), to: "lab.html")
      let browser = try Browser("file://\(user.folder)/lab.html", as: user)
      try browser.wait(for: "\(Self.shown) > 0")
      let runs =
        "[...document.querySelectorAll('.runs tbody tr')].filter(row => row.checkVisibility())"
        + ".reduce((sum, row) => sum + Number(row.dataset.runs ?? 1), 0)"
      #expect(try browser.value(runs) as? Int == 14)
      #expect(try browser.text("#finding-1").contains("KILLED"))
      let hidden = "[...document.querySelectorAll('.js')].every(part => !part.checkVisibility())"
      #expect(try browser.value(hidden) as? Bool == true)
      try end(browser)
    }

    @Test func `shows replays with what was recorded`() throws {
      let stories = "\(Repository.root)/Faults/findings/falseSignOut-challenge-429-token-*.json"
      try user.shell(
        "mkdir found; cp '\(Repository.root)'/Tests/ChaosTests/Replays/*-ios-*.json \(stories) found"
      )
      let (ended, browser) = try page(of: "replay found --json", code: 0)
      let replays = try ended.json().objects("replays")
      #expect(try browser.text("h1") == "\(replays.count) replays, all as recorded")
      #expect(try count("#replays tbody tr", browser) == replays.count)
      let stepped = replays.filter { $0["decisions"] != nil }
      #expect(try count("#findings .card", browser) == stepped.count)
      #expect(try count("#stories .card h3", browser) == replays.count - stepped.count)
      #expect(try browser.text("#stories").contains("Found by lab explore --client"))
      let card = try browser.text("#finding-1")
      let name = try #require(stepped.first?["replay"] as? String)
      for text in [
        name, "verdicts: falseSignOut, as recorded", "./lab replay found/\(name).json",
        "./lab replay found/\(name).json --as simctl",
      ] { #expect(card.contains(text), "\(text) in\n\(card)") }
      try end(browser)
    }

    /// Each run of a document is in exactly one row, with its verdicts, and no row has others.
    private func expectEachRun(of json: [String: Any], in browser: Browser) throws {
      var rows: [(cells: [String], runs: Set<String>)] = try cells(browser).map { cells in
        // `seed, K1 (key written)` is `seed K1`.
        let cases = cells[1].split(separator: "; ").map {
          String($0).replacing(#/ \([^)]*\)/#, with: "").replacing(", ", with: " ")
        }
        let phones = cells[2].split(separator: ", ")
        let stores = cells[3].split(separator: ", ")
        let runs = stores.flatMap { store in
          phones.flatMap { phone in cases.map { "\(store): \($0) on \(phone)" } }
        }
        return (cells, Set(runs))
      }
      let runs = json.objects("runs")
      for run in runs {
        let name = "\(run["store"] ?? ""): \(run["case"] ?? "") on \(run["phone"] ?? "")"
        let scenario = try #require(run["scenario"] as? String)
        let tier = (run["tier"] as? String).map { [$0] }
        let tiers = try #require(run["tiers"] as? [String] ?? tier).joined(separator: ", ")
        let places = rows.indices.filter { index in
          let cells = rows[index].cells
          return cells[0] == scenario && cells[4] == tiers && rows[index].runs.contains(name)
        }
        #expect(places.count == 1, "\(scenario) \(name): \(places.count) rows")
        guard let place = places.first else { continue }
        rows[place].runs.remove(name)
        for verdict in run["verdicts"] as? [String] ?? [] {
          #expect(rows[place].cells[5].contains(verdict), "\(run)")
        }
      }
      #expect(!runs.isEmpty && rows.allSatisfy(\.runs.isEmpty))
      let carried = try browser.value("JSON.parse(document.getElementById('data').textContent)")
      #expect(NSDictionary(dictionary: json) == carried as? NSDictionary)
    }

    @Test func `of a campaign has the runs of its JSON, its known losses and its maps`() throws {
      let (ended, browser) = try page(
        of: "chaos --seed 7 --effort 1s --tier simulated --jobs 2 --json", code: 0)
      let json = try ended.json()
      try expectEachRun(of: json, in: browser)
      #expect(try browser.text("h1").hasPrefix("No findings."))
      #expect(try browser.text("#proof").contains("canary caught"))
      // A second tier adds its name to each run, in the table and in the data.
      let runCount = json.objects("runs").count
      #expect(try user.read("lab.html").utf8.count + 30 * runCount < 1 << 20)
      #expect(try browser.text("#count") == "\(runCount) of \(runCount) runs")
      let rowCount = try #require(try count(".runs tbody tr", browser))
      #expect(rowCount > 50 && rowCount < runCount / 2)
      #expect(try browser.value(Self.shown) as? Int == 50)
      #expect(try browser.text("#more") == "Show all \(rowCount)")
      try browser.click("#more")
      try browser.wait(for: "\(Self.shown) === \(rowCount)")
      _ = try browser.value("history.back()")
      try browser.wait(for: "\(Self.shown) === 50")

      // Worst first, each with its replay; whoever sees a star gets there.
      #expect(try count("#losses .card.known", browser) == 20)
      let briefs = try count("#losses .brief", browser)
      #expect(try briefs ?? 0 > 0 && count("#losses .brief code", browser) == briefs)
      #expect(try browser.text("#loss-1 h3").hasPrefix("resurrection"))
      let star = "[...document.querySelectorAll('#stores td a')].filter(link => "
      let dead = "\(star) !document.getElementById(link.hash.slice(1))).length"
      #expect(try browser.value(dead) as? Int == 0)
      let starred =
        "[...document.querySelectorAll('#stores td')].filter(cell => "
        + "cell.textContent.endsWith('*')).every(cell => cell.querySelector('a'))"
      #expect(try browser.value(starred) as? Bool == true)
      let id = try #require(
        try browser.value(
          "[...document.querySelectorAll('#losses .card')].find(card => "
            + "card.innerText.includes('torn-save, K1')).id") as? String)
      #expect(try browser.text("#\(id) .story") == "")
      try browser.click("#stores td a[href='#\(id)']")
      try browser.wait(for: "document.getElementById('\(id)-story').open")
      let hash = try browser.value("location.hash") as? String ?? ""
      #expect(hash.contains("at=\(id)") && hash.contains("open=\(id)-story"))
      let card = try browser.text("#\(id)")
      for text in [
        "known and expected", "KILLED (kill at K1", "the app shows: no session",
        "./lab run torn-save --phone ios --store recipe --case K1 --seed 7",
      ] { #expect(card.contains(text), "\(text) in\n\(card)") }
      _ = try browser.value("history.back()")
      try browser.wait(for: "!document.getElementById('\(id)-story').open")

      for explored in json.objects("explored") {
        let name = "map-\(explored["store"] ?? "")-\(explored["phone"] ?? "")"
        let places = explored.objects("map")
        let steps = Set(places.compactMap { $0["step"] as? Int }).count
        let rows = try #require(try count("#\(name) details tbody tr", browser))
        #expect(steps > 0 && rows <= places.count)
        let all = "[...document.querySelectorAll('#\(name) table')].at(-1).tBodies[0].rows.length"
        let last = places.filter { $0["step"] as? Int == places.last?["step"] as? Int }
        #expect(try browser.value(all) as? Int == last.count)
      }
      try end(browser)
    }

    @Test func `of an app with its server tells each cause`() throws {
      let (ended, browser) = try page(
        of: "explore --client seed --store recipe --story reset --json", code: 1)
      let causes = try ended.json().objects("violations")
      #expect(
        try browser.text("h1").hasPrefix(
          "\(causes.count) findings in recipe with client seed on ios: guardBroken"))
      let cards = "[...document.querySelectorAll('#findings .card')].map(card => card.innerText)"
      let told = try #require(try browser.value(cards) as? [String])
      #expect(told.count == min(20, causes.count))
      for (place, text) in told.enumerated() {
        let cause = try #require(
          causes.first { text.contains("./lab replay lab-findings/\($0["replay"] ?? "")") })
        #expect(text.contains(cause["because"] as? String ?? "?"))
        #expect(text.contains("The replay shows it again."))
        #expect(try count("#finding-\(place + 1) .story > .fault", browser) == 1)
        let rows = try #require(
          try count("#finding-\(place + 1) .story > li:not(.heads)", browser))
        let lanes = try count("#finding-\(place + 1) .story > li:not(.heads) > .lane", browser)
        #expect(rows > 4 && lanes == 2 * rows)
      }
      // Killed when it has stored both halves, and before it has noted what for.
      #expect(told.first?.contains("key 1") == true && told.first?.contains("blob 1") == true)
      let map = "document.querySelector('#map tbody tr').innerText"
      #expect(try (browser.value(map) as? String)?.contains("guardBroken") == true)
      try browser.type("n", "n")
      #expect(try focus(browser) == "finding-1-title")
      _ = try browser.value("location.hash = '#verdict=guardBroken'")
      try browser.wait(
        for: "[...document.querySelectorAll('#findings .card')].filter(card => "
          + "card.checkVisibility()).every(card => card.dataset.verdict === 'guardBroken')")
      for width in [320, 360, 1100] {
        try browser.resize(width: width)
        try browser.wait(for: "document.documentElement.scrollWidth <= \(width)")
      }
      let html = try user.read("lab.html")
      #expect(!html.contains(user.folder))
      for secret in ["eyJ", "refresh_token", "access_token"] { #expect(!html.contains(secret)) }
      try end(browser)
    }

    @Test func `that cannot be written is refused before anything runs`() throws {
      try user.shell("mkdir folder; touch file")
      for words in [
        "run torn-save", "chaos", "replay x.json", "compare", "explore", "explore --client seed",
        "merge 1.json", "bench crypto",
      ] {
        for path in ["no/such/lab.html", "folder", "file/lab.html", "/proc/lab.html"] {
          let ended = try user.shell("lab \(words) --html \(path)")
          #expect(ended.code == 2 && ended.output.isEmpty, "\(words)")
          #expect(
            ended.errors == "lab: --html \(path) cannot be written.  do: name another file\n")
        }
      }
      let junit = try user.shell("lab run torn-save --junit /proc/lab.xml")
      #expect(junit.code == 2 && junit.output.isEmpty)
      // Looking does not leave or change anything.
      try user.write("kept", to: "kept.html")
      #expect(
        try user.shell("lab run no-such --html kept.html; lab bench --html new.html").code != 0)
      #expect(try user.read("kept.html") == "kept")
      #expect(try user.shell("test ! -e new.html").code == 0)
    }
  }
}
