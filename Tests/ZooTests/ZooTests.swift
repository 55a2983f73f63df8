import Chaos
import Phone
import Session
import Testing
import Zoo

@Suite struct `The zoo` {
  @Test func `has a twin for every failure that a store can show, and nothing but failures`() {
    let shown = Set(Twin.all.compactMap { Verdict(rawValue: $0.failure) })
    #expect(shown == Set(Verdict.allCases.filter { $0.isFailure && $0 != .guardBroken }))
    #expect(Twin.all.allSatisfy { Verdict(rawValue: $0.failure)?.isFailure == true })
  }

  @Test func `names each twin once and says what is broken in a sentence`() {
    #expect(Twin.all.count >= 16)
    #expect(Set(Twin.all.map(\.name)).count == Twin.all.count)
    #expect(Twin.all.allSatisfy { $0.flaw.hasSuffix(".") })
  }

  @Test func `is in no list of stores, and found by its names`() throws {
    let listed = Set(StoreKind.all.map(\.name))
    for twin in Twin.all {
      #expect(!listed.contains(twin.storeName))
      #expect(KnownStores.named(twin.storeName)?.name == twin.storeName)
      #expect(KnownStores.named(twin.name) == nil)
      #expect(Twin.named(twin.name)?.name == twin.name)
    }
    #expect(KnownStores.named("durable") != nil)
    #expect(KnownStores.named("zoo/durable") == nil)
  }

  /// So that a canary is caught wherever it is drawn.
  @Test func `has canaries that a campaign catches on both phones`() throws {
    for twin in Twin.canaries {
      var plan = Campaign.Plan(seed: 5, galleryStores: [])
      plan.canaryStore = twin.storeName
      let phone = try SimulatedPhone(PhoneSetup.seeded)
      let campaign = Campaign(plan, gallery: [], on: [phone])
      for kind in PhoneKind.allCases {
        guard case .canary(let canary) = try campaign.run(.canary(kind, .simulated)) else {
          Issue.record("a canary is no canary")
          continue
        }
        #expect(canary.isCaught, "\(twin.name) on \(kind) in \(canary.tries) tries")
      }
    }
  }

  @Test func `gives every seed a canary`() {
    let drawn = (UInt64(0)..<50).map {
      Campaign.Plan(seed: $0, galleryStores: []).canaryStore
    }
    #expect(Set(drawn) == Set(Twin.canaries.map(\.storeName)))
  }
}

extension PhoneSetup {
  static var seeded: PhoneSetup {
    var setup = PhoneSetup()
    setup.seed = 1
    return setup
  }
}
