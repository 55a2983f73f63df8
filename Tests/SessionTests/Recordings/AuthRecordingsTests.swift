import JSON
import Simulation
import Testing

@Suite struct `Recordings of auth-js` {
  static let traces = Recording.all.flatMap(\.traces)

  /// Traces that our client does not follow, each with its reason.
  static let exceptions: [String: String] = [:]

  @Test func `are there, of both kinds of client`() {
    #expect(!Self.traces.isEmpty)
    guard Recording.isCommitted else { return }
    let versions = Set(Recording.all.map(\.version))
    #expect(versions.isSuperset(of: ["2.106.2", "2.112.2"]))
    #expect(Self.traces.count > 300)
  }

  @Test(arguments: traces) func `are met in requests, writes, events, results and times`(
    trace: Trace
  ) {
    let differences = Self.differences(trace)
    if let reason = Self.exceptions[trace.testDescription] {
      #expect(!differences.isEmpty, "it is met, so it is no exception: \(reason)")
    } else {
      #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    }
  }

  /// More than a client has to meet, and true of ours.
  @Test func `are met even in the order across strands and in the times of reads`() {
    for trace in Self.traces where Recording.isCommitted {
      let player = RecordingPlayer(trace)
      player.run()
      func kinds(_ log: [JSONObject], _ isWanted: (String) -> Bool) -> [String] {
        log.compactMap { entry in
          guard let kind = entry["k"]?.text, isWanted(kind) else { return nil }
          return "\(entry["t"]?.integer ?? 0) \(kind)"
        }
      }
      for wanted in [LogStrands.kinds, ["get"]] {
        let played = kinds(player.log.entries, wanted.contains)
        #expect(played == kinds(trace.log, wanted.contains), "\(trace.testDescription)")
      }
    }
  }

  @Test func `are not met when an entry is missing, late or different`() {
    for trace in Self.traces where trace.name.hasPrefix("update") {
      let player = RecordingPlayer(trace)
      player.run()
      let played = LogStrands(player.log.entries)
      let entries = trace.log.indices.filter {
        LogStrands([trace.log[$0]]).differences(from: LogStrands([])) != []
      }
      for index in entries {
        var missing = trace.log
        missing.remove(at: index)
        #expect(played.differences(from: LogStrands(missing)) != [], "\(trace.name) \(index)")
        var late = trace.log
        late[index]["t"] = .integer((late[index]["t"]?.integer ?? 0) + 1)
        #expect(played.differences(from: LogStrands(late)) != [], "\(trace.name) \(index)")
      }
    }
  }

  @Test func `leave no token, password or verifier on the console`() {
    for trace in Self.traces {
      let player = RecordingPlayer(trace)
      player.run()
      let secrets =
        (trace.recording.json["tokens"]?.object?.members ?? []).compactMap(\.value.text)
        + player.verifiers + ["pw-made-up"]
      for line in player.console.lines {
        let leaked = secrets.filter { line.contains($0) }
        #expect(leaked.isEmpty, "\(trace.testDescription)")
      }
    }
  }

  static func differences(_ trace: Trace) -> [String] {
    let player = RecordingPlayer(trace)
    player.run()
    var found = LogStrands(player.log.entries).differences(
      from: LogStrands(trace.log))
    if player.outcome != .finished {
      found.append("after the end: \(player.outcome.map { "\($0)" } ?? "not played")")
    }
    if player.pending != trace.json["pending"] {
      found.append("pending: \(player.pending)")
    }
    if player.finalStorage != trace.json["finalStorage"] {
      found.append("final storage: \(player.finalStorage)")
    }
    return found
  }
}
