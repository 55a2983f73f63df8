import Foundation
import Testing

extension Commands.Results {
  /// Who sees little, uses the keyboard, hears the page, or reads it on paper.
  @Suite struct `A report page for everybody` {
    private let user: User

    init() throws { user = try User() }

    private static let lines = [
      "run torn-save --tier simulated --phone ios", "compare --phone ios --faults kill,lock",
      "explore --store healing --phone ios --writers 2 --bound 1",
      "explore --client seed --store recipe --story reset --fault kill@26",
      "replay lab-findings",
    ]

    /// What is wrong with the structure; nothing for a page that is sound.
    private static let structure = """
      (() => {
        const all = selector => [...document.querySelectorAll(selector)];
        const faults = [];
        const want = (isSo, words) => { if (!isSo) faults.push(words); };
        want(document.documentElement.lang === 'en', 'no language');
        want(document.title.trim(), 'no title');
        for (const name of ['h1', 'header', 'main', 'footer']) {
          want(all(`body > ${name}, body > header > ${name}`).length === 1, `not one ${name}`);
        }
        let level = 1;
        for (const head of all('h1, h2, h3, h4')) {
          const own = Number(head.tagName[1]);
          want(own <= level + 1, `a level is skipped before: ${head.textContent}`);
          level = own;
        }
        for (const table of all('table')) {
          want(table.caption?.textContent.trim(), `no caption: ${table.textContent.slice(0, 80)}`);
          for (const head of table.querySelectorAll('th')) {
            want(['row', 'col'].includes(head.scope), `no scope: ${head.textContent}`);
          }
          for (const row of table.tBodies[0].rows) {
            want(row.cells[0].tagName === 'TH', `no name: ${row.textContent}`);
          }
        }
        for (const link of all('a')) {
          want(link.textContent.trim(), 'an empty link');
          want(link.hash.includes('=') || document.getElementById(link.hash.slice(1)),
            `leads nowhere: ${link.hash}`);
        }
        for (const part of all('details')) {
          want(part.firstElementChild?.tagName === 'SUMMARY' &&
            part.firstElementChild.textContent.trim(), 'details without a summary');
        }
        for (const part of all('[aria-labelledby], [aria-label]')) {
          const id = part.getAttribute('aria-labelledby');
          want(id ? document.getElementById(id) : part.ariaLabel.trim(), `no label: ${part.id}`);
        }
        for (const part of all('button, input, select')) {
          want(part.textContent.trim() || part.labels?.length, `no name: ${part.outerHTML}`);
        }
        const ids = all('[id]').map(part => part.id);
        want(new Set(ids).size === ids.length, 'an id twice');
        return faults;
      })()
      """

    /// Texts whose colour is too near to what is behind them, by WCAG's formula.
    private static let pale = """
      (() => {
        const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 })
          .getContext('2d', { willReadFrequently: true });
        const paint = colors => {
          for (const color of colors) {
            context.fillStyle = color;
            context.fillRect(0, 0, 1, 1);
          }
          return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
        };
        const light = rgb => rgb.map(value => value / 255)
          .map(value => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
          .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
        const seen = new Map();
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const part = walker.currentNode.parentElement;
          if (!walker.currentNode.data.trim() || !part.checkVisibility() || part.closest('.sr')) {
            continue;
          }
          const backs = [];
          for (let at = part; at; at = at.parentElement) {
            backs.unshift(getComputedStyle(at).backgroundColor);
          }
          const color = getComputedStyle(part).color;
          const key = [color, ...backs].join();
          if (seen.has(key)) continue;
          const back = paint(['#fff', ...backs]);
          const [low, high] = [light(back), light(paint([color]))].sort((a, b) => a - b);
          const ratio = (high + 0.05) / (low + 0.05);
          seen.set(key, ratio < 4.5 ? `${ratio.toFixed(2)}: ${walker.currentNode.data}` : null);
        }
        return [seen.size, ...[...seen.values()].filter(Boolean)];
      })()
      """

    /// What can have the focus and does not show it.
    private static let unmarked = """
      [...document.querySelectorAll('a, button, input, select, summary, [tabindex="0"]')]
        .filter(part => part.checkVisibility()).filter(part => {
          part.focus();
          const style = getComputedStyle(part);
          return document.activeElement !== part || style.outlineStyle === 'none' ||
            parseFloat(style.outlineWidth) < 2;
        }).map(part => part.outerHTML.slice(0, 120))
      """

    @Test func `has names, contrast in both schemes, and a focus that is seen`() throws {
      for line in Self.lines {
        let ended = try user.shell("lab \(line) --html lab.html")
        #expect(ended.errors.contains("written: lab.html"), "\(line)\n\(ended.errors)")
        let browser = try Browser("file://\(user.folder)/lab.html", as: user)
        try browser.wait(
          for: "document.readyState === 'complete' && !!document.querySelector('main')")
        _ = try browser.value(
          "document.querySelectorAll('details').forEach(part => { part.open = true; })")
        #expect(try browser.value(Self.structure) as? [String] == [], "\(line)")
        for look in [
          ["prefers-color-scheme": "light"], ["prefers-color-scheme": "dark"],
          ["forced-colors": "active"],
        ] {
          try browser.emulate(look)
          let found = try #require(browser.value(Self.pale) as? [Any])
          #expect(found.count == 1 && found.first as? Int ?? 0 > 2, "\(line), \(look): \(found)")
        }
        try browser.type("Tab")
        #expect(try browser.value(Self.unmarked) as? [String] == [], "\(line)")
        try browser.close()
      }
    }

    @Test func `is whole on paper`() throws {
      #expect(try user.shell("lab \(Self.lines[0]) --html lab.html").code == 0)
      let browser = try Browser("file://\(user.folder)/lab.html", width: 700, as: user)
      try browser.emulate([:], media: "print")
      try browser.wait(for: "!document.querySelector('nav').checkVisibility()")
      let useless = "[...document.querySelectorAll('button')].some(part => part.checkVisibility())"
      #expect(try browser.value(useless) as? Bool == false)
      let folded = "document.querySelector('#loss-1 .story').checkVisibility()"
      #expect(try browser.value(folded) as? Bool == true)
      #expect(try browser.text("#loss-1").contains("./lab run torn-save"))
      #expect(try browser.text("footer").contains("seed 1"))
      #expect(try browser.value("document.documentElement.scrollWidth <= 700") as? Bool == true)
      try browser.close()
    }
  }
}
