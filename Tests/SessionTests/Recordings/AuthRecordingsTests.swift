import JSON
import Testing

@Suite struct `Recordings of auth-js` {
  static let traces = Recording.all.flatMap(\.traces)

  /// Traces that our client does not follow, each with its reason.
  static let exceptions: [String: String] = [:]

  @Test func `are there, of both kinds of client`() {
    let versions = Set(Recording.all.map(\.version))
    #expect(versions.isSuperset(of: ["2.106.2", "2.112.2"]))
    #expect(Self.traces.count > 300)
  }

  @Test(arguments: traces) func `are met in requests, writes, events, results and times`(
    trace: Trace
  ) {
    let differences = Self.differences(trace, trace.log)
    if let reason = Self.exceptions[trace.testDescription] {
      #expect(!differences.isEmpty, "it is met, so it is no exception: \(reason)")
    } else {
      #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    }
  }

  static func differences(_ trace: Trace, _ log: [JSONObject]) -> [String] {
    let player = RecordingPlayer(trace)
    player.run()
    var found = LogStrands(player.log.entries).differences(from: LogStrands(log))
    if player.pending != trace.json["pending"] {
      found.append("pending: \(player.pending)")
    }
    if player.finalStorage != trace.json["finalStorage"] {
      found.append("final storage: \(player.finalStorage)")
    }
    return found
  }
}
