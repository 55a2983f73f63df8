import Device
import JSON
import Linux
import Mount
import Phone
import Session
import Zoo

/// What a live view shows of a phone's halves: what they hold and whether it would survive, what each
/// fault would do, and what the app would find. As long as nothing changes, one look serves all.
struct PhoneLook: Sendable {
  /// What has to differ for another look.
  struct Version: Equatable, Sendable {
    let store: String
    let operations: Int
    let changes: Int
    let volatile: Set<String>
    let interlude: Interlude?
  }

  let version: Version
  private let items: [JSONValue]
  private let start: JSONValue
  private let forecasts: [JSONValue]

  /// - Throws: ``PhoneHostError`` when a copy of the phone cannot be made.
  init(_ version: Version, _ twin: PhoneTwin, _ domains: [StorageDomain]) throws(PhoneHostError) {
    self.version = version
    let before = twin.before
    let volatile = Set(domains.filter { version.volatile.contains($0.name) }.map(\.half))
    let after = volatile.isEmpty ? before : try twin.afterWorstCut()
    items = zip(before.items, before.survivals(in: after, volatile)).map { item, survives in
      var fields = item.json.object ?? JSONObject()
      fields["durable"] = survives.map { .bool($0) } ?? .null
      return .object(fields)
    }
    start = Self.json(try twin.start(of: version.store))
    forecasts = FaultKind.forecast.map { Self.forecast($0, twin, version.store) }
  }

  var fields: JSONObject {
    ["items": .list(items), "start": start, "forecasts": .list(forecasts)]
  }

  private static func forecast(
    _ kind: FaultKind, _ twin: PhoneTwin, _ store: String
  ) -> JSONValue {
    do {
      let (report, start) = try twin.report(of: FaultRequest(kind.rawValue), store: store)
      var fields = report.json.object ?? JSONObject()
      fields["start"] = json(start)
      return .object(fields)
    } catch {
      return ["fault": .text(kind.rawValue), "refused": .text("\(error)")]
    }
  }

  private static func json(_ reply: AppReply) -> JSONValue {
    switch reply {
    case .result(let result): result.json
    case .killed: ["outcome": "ended", "message": "killed"]
    case .ended(let how): ["outcome": "ended", "message": .text(how)]
    case .noAnswer: ["outcome": "hung", "message": "no answer"]
    }
  }
}

extension FaultKind {
  /// Those that need neither a moment nor a value. What a kill takes is in memory.
  fileprivate static let forecast = onPhones.filter { kind in
    kind.canHappenNow && kind != .kill && kind.parameters.allSatisfy { kind.fallback($0) != nil }
  }
}

extension Inventory {
  /// For each of ``items``, whether it would be there after a power cut: `nil` where nobody can tell.
  fileprivate func survivals(in after: Inventory, _ volatile: Set<Half>) -> [Bool?] {
    let keys = (keys ?? []).map { key -> Bool? in
      guard volatile.contains(.key) else { return true }
      return key.digest == nil ? nil : after.keys?.contains(key) ?? false
    }
    let blobs = blobs.map { blob -> Bool? in
      !volatile.contains(.blob) || after.blobs.contains(blob)
    }
    let indexes = indexes.filter { $0.state != .missing }.map { index -> Bool? in
      !volatile.contains(.blob) || after.indexes.contains(index)
    }
    return keys + blobs + indexes
  }
}

extension PhoneServer {
  /// How many of the latest operations a look shows.
  private static let operationsMax = 100
  /// Which store's app is shown before any has run.
  private static let storeOfNoApp = "durable"

  /// One document with everything that a live view shows.
  ///
  /// - Parameter word: A store, or `last` for the one that the last app used.
  /// - Returns: The document.
  /// - Throws: ``PhoneHostError`` for a store that nobody knows, and when no copy can be made.
  func look(store word: String) throws -> JSONValue {
    let last = lastStore.withLock { $0 }
    let store = word == "last" ? last ?? Self.storeOfNoApp : word
    guard KnownStores.named(store) != nil else {
      throw PhoneHostError.refused("no store '\(store)'")
    }
    let (look, device, state) = try kept.withLock { kept in
      // Taken under the lock: a change that forgets the last look comes before this one, or after it.
      let (device, state) = (host.mounted.withDevice { $0 }, host.state.withLock { $0 })
      let version = PhoneLook.Version(
        store: store, operations: device.operationCount, changes: state.changeCount,
        volatile: device.volatileDomains, interlude: device.interlude)
      if let look = kept, look.version == version { return (look, device, state) }
      let twin = try PhoneTwin(device, state, nowMs: host.nowMs)
      seen.withLock { $0.note(twin.before) }
      let look = try PhoneLook(version, twin, state.phone.domains)
      kept = look
      return (look, device, state)
    }
    var fields = look.fields
    fields["schema"] = "lab.look/1"
    fields["status"] = status
    fields["store"] = .text(store)
    fields["lastStore"] = last.map { .text($0) } ?? .null
    fields["values"] = seen.withLock { $0 }.json
    fields["domains"] = .list(state.phone.domains.map { $0.json(look.version.volatile) })
    fields["snapshots"] = snapshots
    fields["lastChange"] = lastChange.withLock { last in
      last.map { ["number": .integer($0.number), "report": $0.report.json] } ?? .null
    }
    fields["log"] = .list(Self.latest(device.log).map(\.json))
    return .object(fields)
  }

  private static func latest(_ log: OperationLog) -> ArraySlice<OperationRecord> {
    var latest: [OperationRecord] = []
    for segment in log.segments.reversed() where latest.count < operationsMax {
      latest = segment.records + latest
    }
    return latest.suffix(operationsMax)
  }

  /// Those that people took, by name, then those that were taken by themselves, oldest first.
  var snapshots: JSONValue {
    let taken = host.state.withLock { $0.phone.snapshots }.sorted { $0.key < $1.key }
    let automatic = automatic.withLock { $0.entries.map(\.name) }
    return .list(
      taken.map { Self.snapshot($0.key, $0.value, isAutomatic: false) }
        + automatic.map { Self.snapshot($0, Set(Half.allCases), isAutomatic: true) })
  }

  private static func snapshot(
    _ name: String, _ halves: Set<Half>, isAutomatic: Bool
  ) -> JSONValue {
    let words = halves.map(\.rawValue).sorted().map(JSONValue.text)
    return ["name": .text(name), "halves": .list(words), "automatic": .bool(isAutomatic)]
  }
}

extension StorageDomain {
  fileprivate func json(_ volatile: Set<String>) -> JSONValue {
    [
      "name": .text(name), "half": .text(half.rawValue),
      "volatile": .bool(volatile.contains(name)),
    ]
  }
}
