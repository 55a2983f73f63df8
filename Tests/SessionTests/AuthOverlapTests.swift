import JSON
import Session
import Simulation
import Testing

/// Calls side by side, in many orders of what happens at one time.
@Suite struct `Overlapping calls of a client` {
  static let seeds = UInt64(0)..<200
  static let update = Scene.call("updateUser", ["data": ["n": 1]])
  static let refresh = Scene.call("refreshSession")

  /// A scene in which nothing takes time, so that everything may come before everything else.
  static func scene(_ calls: [JSONValue]) -> Scene {
    var scene = Scene(
      left: 3000,
      script: Scene.start + [
        Scene.advance(10), Scene.session("POST /token", 1),
        Scene.reply("PUT /user", Scene.user(["n": 1])),
        ["for": "POST /logout", "op": "reply", "status": 204],
        Scene.reply("POST /factors/f/challenge", ["id": "ch"]),
        Scene.session("POST /factors/f/verify", 2),
      ] + calls + [Scene.advance(1000)])
    scene.options = ["flowType": "pkce", "replyDelayMs": 0, "storageDelayMs": 0]
    return scene
  }

  // H-25
  @Test func `never write an old token back, in the hardened client`() {
    let scene = Self.scene([Self.update, Self.refresh])
    var lost = 0
    for seed in Self.seeds {
      if scene.play(.seed, RandomChoices(seed: seed)).refresh == "r0" { lost += 1 }
      let end = scene.play(.hardened, RandomChoices(seed: seed))
      let data = end.stored[Scene.key]?["session"]?["user"]?["user_metadata"]
      #expect(end.refresh == "r1" && end.pending == [], "seed \(seed)")
      // A refresh that began later got the user of the server, who is made up here.
      #expect(data == ["n": 1] || end.events.last == "TOKEN_REFRESHED a1", "seed \(seed)")
    }
    #expect(lost > 0, "the faithful client shows it")
  }

  // H-11
  @Test func `never bring a session back after a sign-out, in the hardened client`() {
    let verify = Scene.call("appVerify", "f", "123456")
    let scene = Self.scene([Self.update, Self.refresh, verify, Scene.call("signOut")])
    var backs = 0
    for seed in Self.seeds {
      if scene.play(.seed, RandomChoices(seed: seed)).refresh != nil { backs += 1 }
      let end = scene.play(.hardened, RandomChoices(seed: seed))
      #expect(end.stored == [:] && end.pending == [], "seed \(seed)")
      #expect(end.events.last == "SIGNED_OUT -", "seed \(seed)")
    }
    #expect(backs > 0, "the faithful client shows it")
  }
}
