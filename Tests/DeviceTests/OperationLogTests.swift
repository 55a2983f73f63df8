import Foundation
import Testing

@testable import Device

@Suite struct `The operation log` {
  private func log(_ records: [OperationRecord]) -> OperationLog {
    var log = OperationLog(limit: .max)
    for record in records { log.append(record) }
    return log
  }

  @Test func `gives back what was done, field by field`() throws {
    for seed in UInt64(0)..<20 {
      var draws = Draws(seed: seed)
      let records = (0..<200).map { _ in OperationRecord.random(&draws) }
      let log = log(records)
      #expect(Array(log) == records, "seed \(seed)")
      let stored = try OperationLog(log.segments)
      #expect(Array(stored) == records, "seed \(seed)")
      #expect(log.first == records.first && log.endIndex == 200)
    }
  }

  @Test func `names paths by their bytes, equal as their letters may be`() {
    var draws = Draws(seed: 1)
    // The last two are an ASCII letter and the sign for kelvin, which equals it.
    let pairs = ["/caf\u{E9}", "/cafe\u{301}", "/K", "/\u{212A}"]
    let paths = pairs + pairs
    #expect(paths[0] == paths[1])
    let log = log(paths.map { OperationRecord.random(&draws, path: $0) })
    #expect(log.map { Array($0.path.utf8) } == paths.map { Array($0.utf8) })
  }

  @Test func `says which changes a device made, with the lengths of their bytes`() throws {
    var driver = Driver()
    let file = try driver.open("/a")
    try driver.call(.write(file, offset: 4_000, [UInt8](repeating: 1, count: 200)))
    try driver.rename("/a", "/b")
    try driver.call(.sync(file, dataOnly: false))
    #expect(
      driver.device.log.map(\.pending) == [
        [.addEntry(in: .root, "a", file)],
        [
          .data(file, page: 0, offset: 4_000, LoggedBytes(count: 96)),
          .data(file, page: 1, offset: 0, LoggedBytes(count: 104)),
          .size(file, from: 0, to: 4_200),
        ],
        [.removeEntry(in: .root, "a", file), .addEntry(in: .root, "b", file)], [],
      ])
  }

  @Test func `keeps the newest operations, at least as many as asked for`() throws {
    var work = try DailyWork(logLimit: 500)
    var endless = try DailyWork(logLimit: .max)
    for _ in 0..<500 {
      try work.goOn()
      try endless.goOn()
    }
    let (log, all) = (work.device.log, Array(endless.device.log))
    let kept = Array(log)
    #expect(endless.device.log.firstIndex == 0 && all.count == endless.device.operationCount)
    #expect((500..<2_500).contains(kept.count) && kept == all.suffix(kept.count))
    #expect(log.firstIndex == all.count - kept.count && log.endIndex == all.count)
    #expect(log.first?.number == OperationNumber(log.firstIndex + 1))
  }

  @Test func `stays as it was in a copy`() throws {
    var work = try DailyWork(logLimit: .max)
    for _ in 0..<300 { try work.goOn() }
    let copy = work.device.log
    let before = Array(copy)
    for _ in 0..<300 { try work.goOn() }
    #expect(Array(copy) == before && before.count < work.device.log.endIndex)
    #expect(Array(work.device.log.prefix(before.count)) == before)
  }

  @Test func `refuses bytes that are none of its own, and never traps`() throws {
    var draws = Draws(seed: 5)
    let log = log((0..<20).map { _ in OperationRecord.random(&draws) })
    let whole = try #require(log.segments.first)
    func isRefused(_ bytes: [UInt8], count: Int = 20) -> Bool {
      (try? OperationSegment(firstIndex: 0, count: count, bytes: bytes)) == nil
    }
    #expect(!isRefused(whole.bytes))
    for length in 0..<whole.bytes.count { #expect(isRefused(Array(whole.bytes.prefix(length)))) }
    for count in [-1, 0, 19, 21, Int.max] { #expect(isRefused(whole.bytes, count: count)) }
    var refusals = 0
    for _ in 0..<2_000 {
      var bytes = whole.bytes
      bytes[draws.below(bytes.count)] ^= UInt8(draws.below(255) + 1)
      if isRefused(bytes) { refusals += 1 }
    }
    #expect(refusals > 500)
    let gap = try OperationSegment(firstIndex: 21, count: 20, bytes: whole.bytes)
    #expect(throws: StoredDevice.Flaw.self) { try OperationLog([whole, gap]) }
  }

  /// The mix of a phone, repeated: to do it anew a million times would take the time of the device's
  /// pages, which have no part in it.
  @Test func `holds a million operations in less than 100 MB`() async {
    await #expect(processExitsWith: .success) {
      var work = try DailyWork(logLimit: .max)
      for _ in 0..<100 { try work.goOn() }
      let day = Array(work.device.log)
      let before = try residentBytes()
      var log = OperationLog(limit: 1_000_000)
      while log.endIndex < 1_000_000 {
        for record in day { log.append(record.again(after: log.endIndex)) }
      }
      #expect(log.firstIndex == 0)
      #expect(log.last?.number == OperationNumber(log.endIndex))
      #expect(try residentBytes() - before < 100 << 20)
    }
  }
}

/// What this process has in memory.
private func residentBytes() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
  return try #require(line.split(separator: " ").dropLast().last.flatMap { Int($0) }) << 10
}

extension OperationRecord {
  /// The same one day later: temporary files have other names then.
  fileprivate func again(after count: Int) -> OperationRecord {
    OperationRecord(
      number: OperationNumber(count + 1), timeNs: timeNs + Int64(count), process: process,
      kind: kind, domain: domain,
      path: path.hasSuffix(".tmp") ? "\(path)\(count >> 8)" : path, target: target, offset: offset,
      length: length, error: error, fault: fault, pending: pending, settled: settled,
      interlude: interlude)
  }

  /// An operation with anything in its fields.
  fileprivate static func random(
    _ draws: inout Draws, path: String? = nil
  ) -> OperationRecord {
    func maybe<Value>(_ value: Value) -> Value? { draws.below(2) == 0 ? nil : value }
    func number() -> Int {
      let edges = [0, 1, -1, 63, 64, .min, .max]
      let choice = draws.below(edges.count + 3)
      return choice < edges.count ? edges[choice] : draws.below(1 << 40) - 1 << 20
    }
    func text() -> String {
      ["", "/a", "/a/b", "/caf\u{E9}", "/cafe\u{301}", "/\(draws.below(9))"][draws.below(6)]
    }
    func change() -> LoggedChange {
      let inode = InodeID(draws.below(2) == 0 ? .max : UInt64(draws.below(99)))
      let name = FileName([UInt8(draws.below(255)), 0xFF])
      switch draws.below(7) {
      case 0:
        let bytes = LoggedBytes(
          count: number(), print: maybe(DigitsPrint(beginning: draws.next(), whole: draws.next())))
        return .data(inode, page: number(), offset: number(), bytes)
      case 1: return .size(inode, from: number(), to: number())
      case 2:
        let lower = draws.below(99)
        return .hole(inode, lower..<lower + draws.below(99))
      case 3: return .addEntry(in: inode, name, InodeID(UInt64(draws.below(99))))
      case 4: return .removeEntry(in: inode, name, InodeID(UInt64(draws.below(99))))
      case 5:
        var attributes = AttributeChange()
        attributes.mode = maybe(.max)
        attributes.user = maybe(.max)
        attributes.group = maybe(7)
        attributes.sizeBytes = maybe(number())
        attributes.accessedNs = maybe(.min)
        attributes.modifiedNs = maybe(Int64(number()))
        return .attributes(inode, attributes)
      default:
        return .extendedAttribute(inode, name: text(), maybe(LoggedBytes(count: draws.below(99))))
      }
    }
    let kinds = OperationKind.allCases
    let errors = DeviceError.allCases
    return OperationRecord(
      number: OperationNumber(number()), timeNs: Int64(number()),
      process: ProcessNumber(draws.below(2) == 0 ? .min : Int32(draws.below(99))),
      kind: kinds[draws.below(kinds.count)], domain: text(), path: path ?? text(),
      target: maybe(text()), offset: maybe(number()), length: maybe(number()),
      error: maybe(errors[draws.below(errors.count)]), fault: maybe(text()),
      pending: (0..<draws.below(5)).map { _ in change() },
      settled: (0..<draws.below(3)).map { _ in
        Settlement(
          operation: OperationNumber(number()), change: change(), isDurable: draws.below(2) == 0)
      }, interlude: [nil, .writtenBack, .restarted][draws.below(3)])
  }
}
