import Device
import Phone
import Session
import Testing

@testable import Chaos

@Suite struct `The halves of a story` {
  @Test(arguments: [
    SessionFault(.kill, at: 46), SessionFault(.powerCut, at: 46), SessionFault(.lock, at: 46),
    SessionFault(.loseReply, at: 2),
  ])
  func `are looked at without a change to it`(fault: SessionFault) throws {
    for phone in PhoneKind.allCases {
      let plan = SessionPlan(phone: phone, store: "recipe", profile: .seed)
      func play(isTold: Bool) throws -> (SessionExplorer.Case?, ImageDigest, [StoryLine]) {
        let world = try SessionWorld(plan, fault: fault, isTold: isTold)
        let shown = try world.run(.reset)
        return (shown, world.phone.withDevice { $0.live.digest(below: "/") }, world.account)
      }
      let (plain, told) = (try play(isTold: false), try play(isTold: true))
      #expect(plain.0 == told.0 && plain.0 != nil, "\(phone) \(fault)")
      #expect(plain.1 == told.1, "\(phone) \(fault): other bytes are stored")
      #expect(plain.2.isEmpty && told.2.count { $0.isFault } == 1)
      #expect(told.2.first?.key.digest == nil && told.2.first?.blob.digest == nil)
      #expect(told.2.contains { $0.key.peek != nil && $0.blob.peek != nil })
    }
  }

  @Test func `are what a fault met, then what it left`() throws {
    var plan = SessionPlan(phone: .ios, store: "recipe", profile: .seed)
    plan.stories = [.stay]
    plan.onlyFault = SessionFault(.kill, at: 74)
    let one = try #require(try SessionExplorer(plan).run().violations.first)
    let account = try StoryReplay(one, of: plan, named: "t", foundBy: "lab explore").play().account
    let place = account.firstIndex { $0.isFault }
    let fault = try #require(place)
    // Killed between its two calls: a new key, and the blob of before.
    #expect(account[fault].key.digest != account[fault - 1].key.digest)
    #expect(account[fault].blob.digest == account[fault - 1].blob.digest)
    #expect(account[fault].blob.digest != nil)
  }
}
