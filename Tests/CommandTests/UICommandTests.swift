import Foundation
import Testing

extension Commands.Results {
  @Suite struct `The server of a live page` {
    private let user: User
    private let phone: Running
    private let page: LivePage

    init() throws {
      user = try User()
      phone = try user.mount("my-phone")
      page = try LivePage(user)
    }

    private func end() throws {
      try page.end()
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test func `answers nobody without its token, from another origin, or by another name`() throws
    {
      let wrong = page.token.dropLast() + (page.token.hasSuffix("0") ? "1" : "0")
      let refusals = [
        try page.send("/"), try page.send("/api/view"), try page.send("//api/view"),
        try page.send("/\(page.token)"), try page.send("/\(wrong)/api/view"),
        try page.send("/\(String(page.token.reversed()))/api/view"),
        try page.send("/?token=\(page.token)"),
        try page.send("http://127.0.0.1/\(page.token)/api/view"),
        try page.send("api/view", host: "evil.example"),
        try page.send("api/view", host: "127.0.0.1"),
        try page.send("api/view", host: "127.0.0.1.evil.example:\(page.port)"),
        try page.send("api/view", headers: ["Host: evil.example"]),
        try page.send("api/view", headers: ["Origin: http://evil.example"]),
        try page.send("api/view", headers: ["Origin: null"]),
        try page.send("api/view", headers: ["Origin: http://127.0.0.1:1"]),
        try page.send(
          "api/do", #"{"verb":"undo","change":1}"#, headers: ["Origin: https://\(page.authority)"]),
      ]
      for (index, refusal) in refusals.enumerated() {
        #expect(refusal.status == 403, "\(index)")
        #expect(refusal.body.contains("lab ui") && !refusal.body.contains(page.token))
      }
      #expect(
        try page.send("api/view", headers: ["Origin: http://\(page.authority)"]).status == 200)
      #expect(try page.send("api/view", host: "LOCALHOST:\(page.port)").status == 200)
      #expect(try page.view().objects("jobs").isEmpty)
      try end()
    }

    @Test func `has a new token each time, listens on loopback only, and logs nothing`() throws {
      let other = try LivePage(user)
      #expect(page.token.count == 48 && other.token.count == 48 && page.token != other.token)
      #expect(page.authority == "127.0.0.1:\(page.port)")
      let taken = try user.lab("ui", "--port", page.port)
      #expect(taken.code == 2)
      #expect(
        taken.errors == "lab: port \(page.port) is taken.  do: lab ui --port 0   (any free one)\n")
      _ = try page.send("api/view")
      page.process.send(SIGINT)
      let ended = try page.process.wait()
      #expect(ended.code == 130 && ended.output == "\(page.url)\n")
      #expect(ended.errors == "shows my-phone; Ctrl-C ends the page, and the phone stays mounted\n")
      try other.end()
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test func `sends its files with a policy that lets nothing else in`() throws {
      for (place, type) in [
        ("", "text/html; charset=utf-8"), ("style.css", "text/css"),
        ("script.js", "text/javascript"), ("show.js", "text/javascript"),
      ] {
        let answer = try page.send(place)
        #expect(answer.status == 200, "\(place)")
        for line in [
          "Content-Type: \(type)", "Content-Security-Policy: default-src 'none'; script-src 'self'",
          "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
          "Cache-Control: no-store",
        ] {
          #expect(answer.head.contains("\r\n\(line)"), "\(place): \(line)")
        }
        #expect(!answer.body.contains("://") && !answer.body.contains("innerHTML"), "\(place)")
      }
      #expect(try page.send("nothing").status == 404)
      #expect(try page.send("api/do").status == 405)
      #expect(try page.send("api/view", "{}").status == 405)
      #expect(try page.send("api/do", "{}", headers: ["Content-Type: text/plain"]).status == 415)
      try end()
    }

    @Test func `has a button's words for every fault that a phone can take`() throws {
      let catalogue = try page.send("api/catalogue").json
      let faults = catalogue.objects("faults")
      let listed = try user.lab("list", "faults", "--json").json().objects("entries")
        .filter { ($0["meaning"] as? String)?.contains("(lab serve)") == false }
      #expect(faults.map { $0["name"] as? String } == listed.map { $0["name"] as? String })
      #expect(faults.count == 24)
      let error = try #require(faults.first { $0["name"] as? String == "call-error" })
      #expect(error["now"] as? Bool == false)
      #expect(error.objects("parameters").first?["name"] as? String == "code")
      #expect(catalogue.objects("points").count == 12)
      try end()
    }

    @Test func `shows what is stored, what a fault would take, and what it took`() throws {
      let empty = try page.view()
      #expect(empty.at("look", "start", "outcome") as? String == "absent")
      let saved = try page.wish(#"{"verb":"app","store":"durable","do":"sign-in"}"#)
      #expect(saved.at("result", "outcome") as? String == "saved")
      let view = try page.view()
      let items = view.objects("look", "items")
      #expect(items.contains { $0["place"] as? String == "key" })
      #expect(items.contains { $0["place"] as? String == "blob" })
      #expect(view.at("look", "start", "outcome") as? String == "session")
      let forecast = try #require(
        view.objects("look", "forecasts").first { $0["fault"] as? String == "keychain-reset" })
      #expect(forecast.at("start", "outcome") as? String == "absent")
      let reset = try page.wish(#"{"verb":"inject","fault":"keychain-reset"}"#)
      #expect(reset["line"] as? String == "lab inject keychain-reset")
      let removed = reset.objects("result", "removed").map { $0["name"] as? String }
      #expect(!removed.isEmpty)
      #expect(removed == forecast.objects("removed").map { $0["name"] as? String })
      #expect(try page.view().at("look", "start", "outcome") as? String == "absent")
      let number = try #require(try page.view().at("look", "lastChange", "number") as? Int)
      #expect(
        try page.wish(#"{"verb":"undo","change":\#(number + 1)}"#)["status"] as? String == "refused"
      )
      #expect(
        try page.wish(#"{"verb":"undo","change":\#(number)}"#)["status"] as? String == "done")
      #expect(try page.view().at("look", "start", "outcome") as? String == "session")
      #expect(try user.lab("app", "--store", "durable", "get").output.hasPrefix("signed in"))
      try end()
    }

    @Test(arguments: ["ios", "android"])
    func `forecasts what then really happens`(kind: String) throws {
      try end()
      let phone = try user.mount("other", "--phone", kind)
      let page = try LivePage(user)
      _ = try page.wish(#"{"verb":"store","store":"recipe"}"#)
      let names = try page.view().objects("look", "forecasts").map { $0["fault"] as? String ?? "" }
      #expect(names.count == 13)
      for name in names {
        _ = try page.wish(#"{"verb":"reset","device":true}"#)
        _ = try page.wish(#"{"verb":"app","store":"recipe","do":"sign-in"}"#)
        let forecast = try #require(
          try page.view().objects("look", "forecasts").first { $0["fault"] as? String == name })
        let job = try page.wish(#"{"verb":"inject","fault":"\#(name)"}"#)
        guard forecast["refused"] == nil else {
          #expect(job["reason"] as? String == forecast["refused"] as? String)
          continue
        }
        for place in ["removed", "remains"] {
          let (seen, real) = (forecast.objects(place), job.objects("result", place))
          #expect(seen as NSArray == real as NSArray, "\(kind) \(name) \(place)")
        }
        let got = try page.wish(#"{"verb":"app","store":"recipe","do":"get"}"#)
        let found = got.at("result", "outcome") ?? "ended"
        #expect(forecast.at("start", "outcome") as? String == found as? String, "\(kind) \(name)")
      }
      try page.end()
      #expect(try user.lab("unmount").code == 0)
      #expect(try phone.wait().code == 0)
    }

    @Test func `shows a lock, and what can be read again after it`() throws {
      _ = try page.wish(#"{"verb":"store","store":"recipe"}"#)
      _ = try page.wish(#"{"verb":"app","store":"recipe","do":"sign-in"}"#)
      let lock = try page.wish(#"{"verb":"inject","fault":"lock"}"#)
      #expect(lock["status"] as? String == "done")
      let locked = try page.view()
      #expect(locked.at("look", "status", "lockState") as? String == "locked")
      #expect(locked.at("look", "start", "outcome") as? String == "rejected")
      let reason = locked.at("look", "start", "message") as? String
      #expect(reason?.contains("User interaction is not allowed.") == true)
      let got = try page.wish(#"{"verb":"app","store":"recipe","do":"get"}"#)
      #expect(got.at("result", "message") as? String == reason)
      _ = try page.wish(#"{"verb":"inject","fault":"unlock"}"#)
      #expect(try page.view().at("look", "start", "outcome") as? String == "session")
      try end()
    }

    @Test func `tells what is volatile, as a power cut then shows`() throws {
      _ = try page.wish(#"{"verb":"app","store":"recipe","do":"sign-in"}"#)
      let before = try page.view().objects("look", "items")
      let volatile = before.filter { $0["durable"] as? Bool == false }.map { $0["name"] as? String }
      #expect(!volatile.isEmpty)
      let cut = try page.wish(#"{"verb":"inject","fault":"power-cut"}"#)
      let left = cut.objects("result", "remains").map { $0["name"] as? String }
      let lost = cut.objects("result", "removed").map { $0["name"] as? String }
      #expect(!lost.isEmpty && lost.allSatisfy(volatile.contains), "\(lost) of \(volatile)")
      #expect(!left.contains { lost.contains($0) })
      #expect(
        try page.view().objects("look", "items").allSatisfy { $0["durable"] as? Bool == true })
      try end()
    }

    @Test func `arms, disarms and fires, keeps snapshots, and goes back to the mount`() throws {
      let armed = try page.wish(#"{"verb":"inject","fault":"kill","at":"K1","times":2}"#)
      #expect(armed["line"] as? String == "lab inject kill --at K1 --times 2")
      #expect(armed.at("result", "moment") as? String == "K1 (key written)")
      let killed = try page.wish(#"{"verb":"app","store":"recipe","do":"sign-in"}"#)
      #expect(killed.at("result", "outcome") as? String == "killed")
      let fault = try page.view().objects("look", "status", "faults").first
      #expect(fault?["status"] as? String == "fired 1 of 2, still armed")
      _ = try page.wish(#"{"verb":"disarm","id":1}"#)
      _ = try page.wish(#"{"verb":"app","store":"recipe","do":"sign-in"}"#)
      _ = try page.wish(#"{"verb":"snapshot","name":"one","half":"both"}"#)
      let snapshot = try #require(try page.view().objects("look", "snapshots").first)
      #expect(snapshot["name"] as? String == "one")
      #expect(snapshot["halves"] as? [String] == ["blob", "key"])
      _ = try page.wish(#"{"verb":"app","store":"recipe","do":"refresh"}"#)
      for half in ["key", "blob"] {
        let restored = try page.wish(#"{"verb":"restore","name":"one","half":"\#(half)"}"#)
        #expect(restored["line"] as? String == "lab restore one --half \(half)")
        #expect(restored.at("result", "synthetic") as? Bool == true)
      }
      let got = try page.wish(#"{"verb":"app","store":"recipe","do":"get"}"#)
      #expect(got.at("result", "session", "generation") as? Int == 1)
      _ = try page.wish(#"{"verb":"reset","device":true}"#)
      #expect(try page.view().at("look", "start", "outcome") as? String == "absent")
      try end()
    }

    @Test(arguments: [
      (
        #"{"verb":"inject","fault":"keychian-reset"}"#,
        "no fault 'keychian-reset'; nearest: keychain-reset"
      ),
      (#"{"verb":"inject","fault":"kill","at":"K9"}"#, "no point 'K9'"),
      (#"{"verb":"inject","fault":"lie"}"#, "lie needs a moment"),
      (#"{"verb":"inject","fault":"lose-reply"}"#, "happens to a server"),
      (#"{"verb":"inject","fault":"kill","values":{"by":"1s"}}"#, "kill takes no value 'by'"),
      (#"{"verb":"app","store":"durable","do":"sing-in"}"#, "nearest: sign-in"),
      (#"{"verb":"app","store":"durabel","do":"get"}"#, "nearest: durable"),
      (#"{"verb":"app","store":"durable","do":"get","ack":"/tmp/x"}"#, "ack"),
      (#"{"verb":"register","name":"x"}"#, "the page does not do that"),
      (#"{"verb":"app","words":["--ack","/tmp/x"]}"#, "store"),
      (#"{"verb":"snapshot","name":""}"#, "a snapshot's NAME has 1 to 64 characters"),
      (#"{"verb":"snapshot","name":"a\u001bb"}"#, "a snapshot's NAME has 1 to 64 characters"),
      (#"{"verb":"undo"}"#, "change"),
      (#"{"verb":"undo""#, "expected"), ("", "expected"), ("[]", "expected"),
    ]) func `names what is wrong with a wish, and does nothing`(order: String, reason: String)
      throws
    {
      let answer = try page.send("api/do", order)
      #expect(answer.status == 400)
      let error = try #require(try answer.json["error"] as? String)
      #expect(error.contains(reason) && !error.isEmpty, "\(error)")
      #expect(try page.view().objects("jobs").isEmpty)
      try end()
    }

    @Test func `goes on while an app hangs, and lets what is held go`() throws {
      _ = try page.wish(#"{"verb":"inject","fault":"hold","at":"K1"}"#)
      #expect(
        try page.send("api/do", #"{"verb":"app","store":"recipe","do":"sign-in"}"#).status == 202)
      #expect(try eventually { try page.view().at("look", "status", "held") as? [String] != [] })
      let job = try page.view().objects("jobs").last
      #expect(job?["status"] as? String == "running")
      _ = try page.wish(#"{"verb":"release"}"#)
      #expect(
        try eventually {
          try page.view().objects("jobs").allSatisfy { $0["status"] as? String == "done" }
        })
      try end()
    }

    @Test func `says that the phone is gone, and goes on when it is back`() throws {
      #expect(try page.wish(#"{"verb":"unmount"}"#)["status"] as? String == "done")
      #expect(try phone.wait().code == 0)
      #expect(
        try eventually {
          (try page.view()["problem"] as? String)?.hasPrefix("no phone 'my-phone' is mounted")
            == true
        })
      let refused = try page.wish(#"{"verb":"inject","fault":"lock"}"#)
      #expect(refused["status"] as? String == "refused")
      let again = try user.mount("my-phone")
      #expect(try eventually { try page.view()["problem"] is NSNull })
      #expect(try page.wish(#"{"verb":"inject","fault":"lock"}"#)["status"] as? String == "done")
      try page.end()
      #expect(try user.lab("unmount").code == 0)
      #expect(try again.wait().code == 0)
    }

    @Test func `does not hang on a phone that does not answer`() throws {
      phone.send(SIGSTOP)
      #expect(
        try eventually(seconds: 20) {
          (try page.view()["problem"] as? String) == "the phone 'my-phone' does not answer"
        })
      phone.send(SIGCONT)
      #expect(try eventually { try page.view()["problem"] is NSNull })
      try end()
    }

    @Test func `shows damage, and no secret of what is stored`() throws {
      #expect(try user.lab("app", "--store", "recipe", "sign-in", "--text", "SECRET-77").code == 0)
      for order in [
        #"{"verb":"inject","fault":"bit-flip","values":{"path":"keychain-2.db","byte":"20"}}"#,
        #"{"verb":"inject","fault":"truncate","values":{"path":"manifest.json","to":"9"}}"#,
      ] {
        #expect(try page.wish(order)["status"] as? String == "done")
        let body = try page.send("api/view").body
        #expect(!body.contains("SECRET-77") && body.contains(#""problem":null"#))
      }
      let notes = try page.view().objects("look", "items").map { $0["note"] as? String }
      #expect(notes.contains("not JSON: the next launch starts with an empty one"), "\(notes)")
      try end()
    }

    @Test func `names the phone in its lines where there are several`() throws {
      let second = try user.mount("other")
      let pages = [try LivePage(user, "--on", "other"), page]
      let lines = try pages.map {
        try $0.wish(#"{"verb":"inject","fault":"lock"}"#)["line"] as? String
      }
      #expect(lines == ["lab inject lock --on other", "lab inject lock"])
      #expect(
        try pages[0].wish(#"{"verb":"unmount"}"#)["line"] as? String == "lab unmount --on other")
      try pages[0].end()
      #expect(try second.wait().code == 0)
      try end()
    }

    @Test func `is opened without its token in any command line`() throws {
      try user.write("#!/bin/sh\ncp \"$1\" opened.html\necho \"$@\" >words\n", to: "xdg-open")
      try user.shell("chmod +x xdg-open")
      let opening = try user.begin(shell: "PATH=.:$PATH exec lab ui --open")
      #expect(eventually { user.exists("words") })
      let url = opening.output.dropLast()
      #expect(try user.read("opened.html").contains("url=\(url)\""))
      let path = try user.read("words").dropLast()
      #expect(!path.contains(url.split(separator: "/")[2]))
      #expect(try user.shell("stat -c %a '\(path)'").output == "600\n")
      opening.send(SIGTERM)
      #expect(try opening.wait().code == 0)
      #expect(!FileManager.default.fileExists(atPath: String(path)))
      try end()
    }
  }

  @Suite struct `A live page without a phone` {
    @Test func `is refused with the command that mounts one`() throws {
      let user = try User()
      let ended = try user.lab("ui", "--on", "nothing")
      #expect(ended.code == 2)
      #expect(
        ended.errors
          == "lab: no phone 'nothing' is mounted.  do: lab mount my-phone &\n")
      #expect(ended.output.isEmpty)
    }
  }
}
