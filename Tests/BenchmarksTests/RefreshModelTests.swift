import Device
import Testing

@testable import Benchmarks

@Suite(.timeLimit(.minutes(10))) struct `The model of a refreshing client` {
  @Test(arguments: RefreshKind.all)
  func `does what the client does, in the same milliseconds`(kind: RefreshKind) throws {
    for seed in UInt64(0)..<40 {
      let traced = RefreshCase(seed: seed, kind)
      guard let difference = try traced.difference() else { continue }
      let least = try traced.shrunk()
      Issue.record("seed \(seed), \(kind.name): \(difference)\nleast: \(try least.report())")
      return
    }
  }

  /// The twin: what is held against another client than its own is found out, and made small.
  @Test(arguments: zip(RefreshKind.all, RefreshKind.all.dropFirst() + RefreshKind.all.prefix(1)))
  func `is not taken for that of another client`(own: RefreshKind, other: RefreshKind) throws {
    for seed in UInt64(0)..<40 {
      var mistaken = RefreshCase(seed: seed, own)
      mistaken.mistake = other
      guard try mistaken.difference() != nil else { continue }
      let least = try mistaken.shrunk()
      #expect(try least.difference() != nil)
      #expect(least.trace.visits.count <= 4, "seed \(seed), \(own.name) for \(other.name)")
      return
    }
    Issue.record("\(own.name) passes for \(other.name)")
  }

  @Test func `sees everything that it is compared by`() {
    let kind = RefreshKind(client: .seed106, isCoupled: false)
    var record = RefreshRecord()
    for seed in UInt64(0)..<40 {
      let played = RefreshCase(seed: seed, kind).modelled()
      record.tokenCallsMs += played.tokenCallsMs
      record.attemptsMs += played.attemptsMs
      record.calls += played.calls
      record.signedOutMs = record.signedOutMs ?? played.signedOutMs
    }
    #expect(record.tokenCallsMs.count > 100 && record.attemptsMs.count > 100)
    #expect(record.calls.count { $0.endMs != $0.startMs } > 100)
    #expect(record.calls.count { $0.expiry == nil } > 50)
    #expect(record.calls.count { ($0.shown ?? .max) <= $0.startMs } > 50)
    #expect(record.signedOutMs != nil)
  }
}
