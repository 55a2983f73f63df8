import Foundation
import Testing

extension Commands.Results {
  @Suite struct `A live page in a browser` {
    private let user: User
    private let phone: Running
    private let page: LivePage
    private let browser: Browser

    init() throws {
      user = try User()
      phone = try user.mount("my-phone")
      page = try LivePage(user)
      browser = try Browser(page.url, as: user)
      try browser.wait(for: "document.getElementById('link').textContent === 'connected'")
    }

    private func end(refusals: Int = 0) throws {
      // Chromium notes each answer that is a refusal; nothing else may stand there.
      #expect(browser.complaints.allSatisfy { $0.contains("status of 400 ") })
      #expect(browser.complaints.count == refusals)
      #expect(browser.requested.allSatisfy { $0.hasPrefix(page.url) || $0.hasPrefix("data:") })
      try browser.close()
      try page.end()
      _ = try user.lab("unmount")
      _ = try phone.wait()
    }

    private func wait(_ selector: String, says text: String) throws {
      try browser.wait(
        for: "(document.querySelector(`\(selector)`)?.innerText ?? '').includes(`\(text)`)")
    }

    @Test func `shows before a click what goes, after it what went, and takes it back`() throws {
      try wait("#start", says: "No session yet: press Sign in.")
      try browser.click("[data-do=sign-in]")
      try wait("#start", says: "signed in, generation 1")
      try wait("#key-items", says: "sb-demo-auth-token")
      try wait("#now-keychain-reset", says: "would remove key sb-demo-auth-token")
      try wait("#now-keychain-reset", says: "the app would find: no session: the login screen")
      try browser.click("#fault-keychain-reset")
      try wait("#jobs li", says: "keychain-reset: done")
      let job = try browser.text("#jobs li")
      #expect(job.contains("removed\n") && job.contains("remains\n"))
      #expect(job.contains("key sb-demo-auth-token") && job.contains("lab inject keychain-reset"))
      try wait("#said", says: "keychain-reset: removed key sb-demo-auth-token")
      try wait("#key-state", says: "Nothing is stored here.")
      try wait("#start", says: "no session: the login screen")
      try browser.click("#jobs li [data-focus^=undo]")
      try wait("#start", says: "signed in, generation 1")
      try end()
    }

    @Test func `tells what was done from elsewhere, and takes that back only as the last`() throws {
      try browser.click("[data-do=sign-in]")
      try browser.click("#fault-biometric-change")
      try wait("#jobs li", says: "biometric-change: done")
      #expect(try user.lab("inject", "keychain-reset").code == 0)
      try wait("#jobs li", says: "keychain-reset, from elsewhere: done")
      try wait("#said", says: "from elsewhere: keychain-reset: removed key sb-demo-auth-token")
      let buttons = "document.querySelectorAll('#jobs [data-focus^=undo]').length"
      #expect(try browser.value(buttons) as? Int == 1)
      try browser.click("#jobs li [data-focus^=undo]")
      try wait("#start", says: "signed in, generation 1")
      try end()
    }

    @Test func `says whether the key opens the blob, for the store that wrote them`() throws {
      try browser.click("[data-do=sign-in]")
      try wait("#fit", says: "fit: yes, key 1 opens one of the 2 blobs (durable, the store that")
      #expect(try user.lab("app", "--store", "recipe", "sign-in").code == 0)
      try wait("#key-items", says: "key 2")
      try wait("#fit", says: "(recipe, the store that wrote them)")
      try wait("#facts", says: "app: not running, signed in (generation 1)")
      #expect(try browser.value("document.getElementById('store').value") as? String == "recipe")
      try browser.click("#reset")
      try wait("#start", says: "No session yet")
      #expect(try browser.text("#fit") == "")
      try browser.click("[data-do=sign-in]")
      try wait("#fit", says: "fit: yes, key 3 opens blob 3 (recipe, the store that wrote them)")
      #expect(try user.lab("snapshot", "one", "--half", "key").code == 0)
      try browser.click("[data-do=refresh]")
      try wait("#fit", says: "fit: yes, key 4 opens blob 4")
      try wait("#facts", says: "signed in (generation 2)")
      try browser.click("[aria-label='Restore key of one']")
      try wait("#fit", says: "fit: no: key 3 does not open blob 4")
      #expect(try browser.text("#key-items").contains("digest") == false)
      try end()
    }

    @Test func `lists what was kept before a fault, and says what came back by it`() throws {
      try browser.click("[data-do=sign-in]")
      try wait("#blob-items", says: "~ volatile")
      try browser.click("#fault-keychain-reset")
      try wait("#jobs li", says: "snapshot before it: before-keychain-reset")
      try wait("#snapshots", says: "all, taken by itself")
      try wait("#fit", says: "the key of the 2 blobs is gone")
      try browser.click("[aria-label='Restore both of before-keychain-reset']")
      try wait("#said", says: "restore: came back key sb-demo-auth-token (key 1)")
      try wait("#key-state", says: "durable now: it came from a snapshot")
      try wait("#blob-state", says: "durable now: it came from a snapshot")
      try wait("#fit", says: "fit: yes, key 1 opens one of the 2 blobs")
      try end()
    }

    @Test func `marks what a power cut may take`() throws {
      try browser.click("[data-do=sign-in]")
      try wait("#now-power-cut", says: "may remove")
      try wait("#blob-items", says: "~ volatile")
      try browser.click("#fault-power-cut")
      try wait("#jobs li", says: "power-cut: done")
      try browser.wait(for: "!document.querySelector('.halves').innerText.includes('~ volatile')")
      try end()
    }

    @Test func `arms a fault, and says in words when it has not fired`() throws {
      #expect(try browser.value("document.getElementById('fault-lie').disabled") as? Bool == true)
      _ = try browser.value("document.querySelector('input[value=armed]').click()")
      try browser.click("#fault-kill")
      try wait("#armed", says: "1. kill at K1 (key written): armed")
      try browser.click("[data-do=get]")
      try wait("#armed", says: "NEVER FIRED so far")
      try browser.click("[data-do=sign-in]")
      try wait("#armed", says: "1. kill at K1 (key written): fired")
      try wait("#jobs li", says: "app: sign-in: killed by a fault")
      try end()
    }

    @Test func `says under the button why it was refused, and the focus stays`() throws {
      _ = try browser.value("document.getElementById('fault-bit-flip').focus()")
      try browser.click("#fault-bit-flip")
      try wait("[aria-labelledby=fault-bit-flip] .refusal", says: "bit-flip needs 'path'")
      try browser.click("#fault-kill")
      try wait("[aria-labelledby=fault-kill] .refusal", says: "no app runs on the phone")
      #expect(try browser.value("document.activeElement.id") as? String == "fault-bit-flip")
      try end(refusals: 1)
    }

    @Test func `shows what others named as text, never as markup`() throws {
      let name = "<img src=x onerror=console.error(1)>"
      #expect(try user.lab("snapshot", name).code == 0)
      try wait("#snapshots", says: name)
      #expect(try browser.value("document.querySelector('main img')") == nil)
      try browser.click("[aria-label^='Restore key']")
      try wait("#jobs li", says: "restore \(name): key: done")
      try end()
    }

    @Test func `is dimmed while the phone is away, and goes on when it is back`() throws {
      #expect(try user.lab("unmount").code == 0)
      try wait("#banner", says: "no phone 'my-phone' is mounted")
      #expect(try browser.value("document.querySelector('#fault-lock').disabled") as? Bool == true)
      let again = try user.mount("my-phone")
      try browser.wait(for: "document.getElementById('banner').hidden")
      try browser.click("#fault-lock")
      try wait("#facts", says: "locked")
      #expect(browser.complaints.isEmpty)
      page.process.send(SIGKILL)
      _ = try page.process.wait()
      try wait("#link", says: "disconnected")
      #expect(try browser.text("#banner").contains("lab status"))
      try browser.close()
      #expect(try user.lab("unmount").code == 0)
      #expect(try again.wait().code == 0)
    }

    @Test func `is used by keyboard, has a name for everything, and fits a narrow phone`() throws {
      try browser.type("/", "/")
      #expect(try browser.value("document.activeElement.id") as? String == "search")
      for letter in "lock" { try browser.type(String(letter), String(letter)) }
      let shown = "[...document.querySelectorAll('.fault')].filter(card => !card.hidden).length"
      try browser.wait(for: "\(shown) > 0 && \(shown) < 8")
      let nameless = """
        [...document.querySelectorAll('button, input, select')].filter(element =>
          !element.innerText?.trim() && !element.labels?.length).map(element => element.outerHTML)
        """
      #expect(try browser.value(nameless) as? [String] == [])
      #expect(try browser.value("document.querySelectorAll('h1').length") as? Int == 1)
      #expect(
        try browser.value("document.querySelector('#said').getAttribute('role')") as? String
          == "status")
      for width in [320, 360, 800, 1600] {
        try browser.resize(width: width)
        try browser.wait(for: "document.documentElement.scrollWidth <= \(width)")
      }
      // Where the parts stand below each other, one line leads to each of them.
      try browser.resize(width: 360)
      let lines = """
        [...document.querySelectorAll('nav a')].filter(link => document.querySelector(link.hash))
          .map(link => link.getBoundingClientRect().height).filter(height => height > 24 && height < 40)
        """
      #expect((try browser.value(lines) as? [Any])?.count == 6)
      try browser.click("nav a[href='#happened-head']")
      let top = "document.getElementById('happened-head').getBoundingClientRect().top"
      let bottom = "document.querySelector('nav').getBoundingClientRect().bottom"
      try browser.wait(for: "\(top) >= \(bottom) && \(top) < innerHeight")
      try end()
    }
  }
}
