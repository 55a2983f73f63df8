import JSON
import Testing
import Wire

@Suite struct `An address of a callback` {
  static let list = TrustList(
    scheme: "supastack",
    origins: [WebOrigin(scheme: "https", host: "app.example.com", port: nil)])

  @Test func `is read into its parts and written back`() throws {
    let text = "https://app.example.com:8443/a/b?x=1&y=%C3%A9"
    let url = try CallbackURL(text)
    #expect(url.scheme == "https" && url.host == "app.example.com" && url.port == 8443)
    #expect(url.path == "/a/b" && url.single("x") == "1" && url.single("y") == "%C3%A9")
    #expect(url.text == text)
  }

  @Test func `keeps values as they are written`() throws {
    let url = try CallbackURL("app://auth?state=%61bc&n=1&n=2")
    #expect(url.single("state") == "%61bc")
    #expect(url.single("n") == nil && url.has("n"))
    #expect(url.single("m") == nil && !url.has("m"))
  }

  @Test func `gets a value as a form escapes it`() throws {
    let url = try CallbackURL("app://auth/callback?state=x").adding("cookie", "a=1; b é")
    #expect(url.text == "app://auth/callback?state=x&cookie=a%3D1%3B+b+%C3%A9")
    #expect(try CallbackURL(url.text) == url)
  }

  @Test(arguments: [
    ("Supastack://auth", CallbackRefusal.Part.scheme), ("supastack://auth.evil", .host),
    ("supastack://a@auth", .userInfo), ("supastack://auth:80", .port),
    ("supastack://auth/..", .path), ("supastack://auth#", .fragment),
    ("supastack://auth?x", .query), ("supastack://auth\\", .text), ("other://auth", .list),
    ("https://app.example.com:443", .list),
  ]) func `is refused for the first part that is not in order`(
    _ text: String, _ part: CallbackRefusal.Part
  ) {
    #expect(throws: CallbackRefusal(part)) { try Self.list.admit(text) }
  }

  @Test func `is refused wherever one character is not in order`() throws {
    let text = "supastack://auth/callback?state=abc"
    for index in text.indices {
      for character in ["\\", " ", "\n", "\0", "#", "@", "А", "%"] as [Character] {
        var broken = text
        broken.insert(character, at: index)
        let harmless = character == "@" && index > text.firstIndex(of: "=") ?? text.endIndex
        guard !harmless else { continue }
        #expect(throws: CallbackRefusal.self, "\(broken.debugDescription)") {
          try Self.list.admit(broken)
        }
      }
    }
    #expect(try Self.list.admit(text).single("state") == "abc")
  }
}

@Suite struct `The encoding of forms` {
  @Test func `is undone by its reader`() {
    for text in ["", "a b+c", "=&%", "é😀", "\u{1}\n", "*-._~"] {
      #expect(FormText.decode(FormText.encode(text)) == text)
      #expect(FormText.decodeComponent(FormText.encodeComponent(text)) == text)
    }
    #expect(FormText.encode("a b~") == "a+b%7E" && FormText.encodeComponent("a b~") == "a%20b~")
  }

  @Test(arguments: ["%", "%4", "%zz", "%ff", "%c0%af", "%ed%a0%80"])
  func `refuses a broken escape`(_ text: String) {
    #expect(FormText.decode(text) == nil && FormText.decodeComponent(text) == nil)
  }

  @Test func `gives a value only if there is one`() {
    let query = FormQuery("a=1&b=2&b=3&c=%&d=x+y")
    #expect(query.single("a") == "1" && query.single("b") == nil && query.single("c") == nil)
    #expect(query.single("d") == "x y")
  }
}
