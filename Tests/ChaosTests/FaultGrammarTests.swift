import Chaos
import Device
import Phone
import Testing

@Suite struct `The fault grammar` {
  @Test(arguments: [
    ("kill@K1", "kill at K1 (key written)"),
    ("kill@point:K1", "kill at K1 (key written)"),
    ("kill@K1#2", "kill at K1 (key written), time 2"),
    ("power-cut@rename:*.bak#2", "power-cut at rename:*.bak, time 2"),
    ("kill@recovery", "kill at R0 (recovery begins)"),
    ("kill@op:17", "kill at op:17"),
    ("kill@each", "kill at each"),
    ("kill@each-op", "kill at each-op"),
    ("keychain-reset", "keychain-reset"),
  ])
  func `reads the short form`(text: String, words: String) throws {
    #expect(try FaultRequest(text).description == words)
  }

  @Test func `takes the trigger apart from the word, but not twice`() throws {
    #expect(try FaultRequest("kill", at: "K1") == FaultRequest("kill@K1"))
    #expect(throws: FaultGrammarError.self) { try FaultRequest("kill@K1", at: "K0") }
  }

  @Test(arguments: [
    ("keychian-reset", "no fault 'keychian-reset'; nearest: keychain-reset"),
    ("429", "no fault '429'; here that is refuse with status 429"),
    ("503@2", "no fault '503'; here that is refuse with status 503"),
    (
      "clock",
      "no fault 'clock'; here that is server-clock for a server's; a phone's is a step, set-clock"
    ),
    ("kill@KK", "no point 'KK'; nearest: K0"),
    ("kill@renam:x", "no operation 'renam'; nearest: rename"),
    ("kill@op:0", "'op:0' needs a number from 1, such as op:17"),
    ("kill@K1#0", "'K1#0' needs a number from 1 after '#'"),
    ("lie", "lie needs a moment, such as lie@write:.dat.nosync*"),
    (
      "delay@K1",
      "delay needs 'by': how long, such as 200ms; of a clock how far, such as +1h"
    ),
    ("lie@K1", "lie hits a file call, not a point; write lie@write:.dat.nosync*"),
    ("short-write@rename:*", "short-write cannot happen to rename"),
    ("short-write@read:*", "short-write cannot happen to read"),
    ("", "no fault ''"),
    ("kill@", "'kill@' names no moment behind the '@'"),
    ("@kill", "no fault ''"),
    (
      "kill@op:9223372036854775807", "'op:9223372036854775807' needs a number from 1, such as op:17"
    ),
  ])
  func `explains what is wrong`(text: String, reason: String) {
    #expect { try FaultRequest(text) } throws: { error in
      (error as? FaultGrammarError)?.reason == reason
    }
  }

  @Test func `refuses an error that the call cannot give on a phone`() throws {
    let legal = try FaultRequest(
      "call-error", at: "write:*", parameters: ["code": "ENOSPC"])
    #expect(legal.armed()?.effect == .error(.noSpace))
    #expect {
      try FaultRequest("call-error", at: "write:*", parameters: ["code": "EEXIST"])
    } throws: { error in
      let error = error as? FaultGrammarError
      return error?.reason == "write cannot give EEXIST on a phone"
        && error?.allowed == "ENOSPC EDQUOT EIO"
    }
  }

  @Test func `reads survivors for each domain`() throws {
    let fault = try FaultRequest(
      "power-cut", at: "K1", parameters: ["survivors": "keychain=none,values=seed:7,rest=all"])
    #expect(
      fault.armed()?.effect
        == .powerCut(.perDomain(["keychain": .none, "values": .seeded(7)], rest: .all)))
    #expect(throws: FaultGrammarError.self) { try Survivors(text: "keychain") }
    #expect(throws: FaultGrammarError.self) { try Survivors(text: "a=none,a=all") }
  }

  @Test func `reads survivors one by one`() throws {
    #expect(try Survivors(text: "kept:1+4+7") == .kept([1, 4, 7]))
    for text in ["kept:", "kept:1+", "kept:-1", "kept:1+1", "kept:a"] {
      #expect(throws: FaultGrammarError.self) { try Survivors(text: text) }
    }
  }

  @Test func `reads and writes survivors of which a write arrives in part`() throws {
    let torn = Survivors.partial(
      PartialWrite(change: 9, .last, sectorCount: 1),
      rest: .partial(PartialWrite(change: 5, .first, sectorCount: 3), rest: .kept([0, 2])))
    #expect(torn.text == "kept:0+2+5:first3+9:last1")
    #expect(try Survivors(text: "kept:0+2+5:first3+9:last1") == torn)
    for text in ["none", "issued", "all", "seed:7", "kept:1+4", "kept:4:last2", "a=none,rest=all"] {
      #expect(try Survivors(text: text).text == text)
    }
    #expect(Survivors.kept([]).text == "none")
    #expect(Survivors.torn(OperationNumber(3), sectorCount: 1, rest: .none).text == nil)
    for text in [
      "kept:1:", "kept:1:3", "kept:1:first0", "kept:1:middle2", "kept:1+1:first2",
      "a=kept:1:first2,rest=all",
    ] {
      #expect(throws: FaultGrammarError.self, "\(text)") { try Survivors(text: text) }
    }
  }

  @Test func `takes the name of a half for its domains, unless one is named itself`() throws {
    let fault = try FaultRequest(
      "power-cut", at: "K1", parameters: ["survivors": "key=all,preferences=none,rest=issued"])
    let named = fault.armed([.key: ["keystore", "preferences"], .blob: ["database"]])
    #expect(
      named?.effect
        == .powerCut(.perDomain(["keystore": .all, "preferences": .none], rest: .issued)))
    #expect(
      fault.armed()?.effect
        == .powerCut(.perDomain(["key": .all, "preferences": .none], rest: .issued)))
  }

  @Test func `refuses a value that the fault does not know`() {
    #expect { try FaultRequest("kill@K1", parameters: ["code": "EIO"]) } throws: { error in
      (error as? FaultGrammarError)?.reason == "kill takes no value 'code'"
    }
  }

  @Test(arguments: [
    ("55min", 3_300_000), ("+1h", 3_600_000), ("-2m30s", -150_000), ("200ms", 200),
  ])
  func `reads durations`(text: String, milliseconds: Int64) {
    #expect(Quantity.milliseconds(text) == milliseconds)
  }

  @Test(arguments: ["", "+", "5", "min", "5 min", "1.5h", "99999999999999999999h", "999999999999d"])
  func `refuses what is no duration`(text: String) {
    #expect(Quantity.milliseconds(text) == nil)
  }

  @Test func `reads sizes`() {
    #expect(Quantity.bytes("512") == 512)
    #expect(Quantity.bytes("2KiB") == 2048)
    #expect(Quantity.bytes("2kb") == nil)
  }

  @Test func `says of each fault what it is, and gives an example that it accepts`() throws {
    for kind in FaultKind.allCases {
      #expect(!kind.summary.isEmpty)
      let given = Dictionary(
        uniqueKeysWithValues: kind.parameters.map { parameter in
          let examples: [FaultParameter: String] = [
            .code: "EIO", .by: "5ms", .path: "manifest.json",
          ]
          return (parameter.rawValue, kind.fallback(parameter) ?? examples[parameter] ?? "")
        })
      _ = try FaultRequest("\(kind.rawValue)@\(kind.exampleTrigger)", parameters: given)
    }
  }
}
