import Chaos
import JSON
import Reports
import Testing

@Suite struct `A shard` {
  @Test(arguments: [1, 2, 3, 7]) func `takes what the others leave, and nothing twice`(count: Int) {
    let shards = (1...count).map { Shard($0, of: count) }
    for unit in 0..<50 { #expect(shards.count { $0.takes(unit) } == 1, "unit \(unit)") }
  }

  @Test func `splits into parts that take exactly its own units`() {
    for shard in [Shard.whole, Shard(2, of: 3), Shard(4, of: 4)] {
      let parts = shard.split(into: 5)
      for unit in 0..<200 {
        #expect(parts.count { $0.takes(unit) } == (shard.takes(unit) ? 1 : 0), "\(shard) \(unit)")
      }
    }
  }

  @Test(arguments: ["", "1", "0/4", "5/4", "1/0", "-1/4", "1/2/3", "a/b", "1/1000000"])
  func `is refused when there is no such part`(text: String) {
    #expect(throws: ShardError.self) { try Shard(text) }
  }

  private func auto(_ variables: [String: String]) throws -> String {
    try Shard { variables[$0] }.description
  }

  @Test func `is read from what schedulers set`() throws {
    #expect(try auto(["LAB_SHARD_INDEX": "0", "LAB_SHARD_COUNT": "3"]) == "1/3")
    let node = ["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "5"]
    #expect(try auto(node) == "3/5")
    #expect(try auto(node.merging(["GITLAB_CI": "true"]) { $1 }) == "2/5")
    #expect(try auto(["CIRCLE_NODE_INDEX": "4", "CIRCLE_NODE_TOTAL": "5"]) == "5/5")
    #expect(
      try auto(["BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "2"]) == "1/2")
    #expect(try auto(["JOB_COMPLETION_INDEX": "1", "LAB_SHARD_COUNT": "2"]) == "2/2")
    let slurm = [
      "SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "7",
      "SLURM_ARRAY_TASK_STEP": "2", "SLURM_ARRAY_TASK_COUNT": "4",
    ]
    #expect(try auto(slurm) == "3/4")
  }

  @Test func `is refused when a scheduler does not say which part it is`() {
    #expect(throws: ShardError.self) { try auto([:]) }
    #expect(throws: ShardError.self) { try auto(["JOB_COMPLETION_INDEX": "1"]) }
    #expect(throws: ShardError.self) { try auto(["CI_NODE_INDEX": "x", "CI_NODE_TOTAL": "2"]) }
    #expect(throws: ShardError.self) {
      try auto(["CIRCLE_NODE_INDEX": "2", "CIRCLE_NODE_TOTAL": "2"])
    }
    let list = [
      "SLURM_ARRAY_TASK_ID": "9", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "9",
      "SLURM_ARRAY_TASK_STEP": "1", "SLURM_ARRAY_TASK_COUNT": "3",
    ]
    #expect(throws: ShardError.self) { try auto(list) }
  }
}

@Suite struct `The results of shards` {
  private func part(
    _ shard: Shard, seed: Int = 1, phones: String = "ios", schema: String = "s/1",
    version: String = "1"
  ) throws -> ShardResults {
    let plan: JSONValue = ["seed": .integer(seed), "phones": .text(phones)]
    let result = try JSONReader.read("{\"n\": \(shard.index)}")
    return try ShardResults(
      JSONReader.read(
        JSONWriter.text(
          of: ShardResults.added(
            to: ["schema": .text(schema)], shard, version: version, plan: plan,
            results: [shard.index - 1: result]))))
  }

  private func merge(_ parts: [ShardResults]) throws(ShardResults.Problem) -> [Int: JSONNode] {
    try ShardResults.merged(
      parts.enumerated().map { ("\($0.offset + 1).json", $0.element) }, version: "1")
  }

  @Test func `join in any order`() throws {
    let parts = try (1...3).map { try part(Shard($0, of: 3)) }
    let merged = try merge(parts.reversed())
    #expect(merged.keys.sorted() == [0, 1, 2])
    #expect(merged[1]?["n"]?.value == 2)
  }

  @Test func `are refused by name when they are not one run`() throws {
    let first = try part(Shard(1, of: 2))
    let cases: [(ShardResults, String)] = [
      (first, "2.json: shard 1/2 again; it is in 1.json, too"),
      (try part(Shard(2, of: 2), seed: 2), "2.json: seed 2, but 1.json has seed 1"),
      (try part(Shard(2, of: 2), phones: "a"), "2.json: another run than 1.json: phones differ"),
      (try part(Shard(2, of: 3)), "2.json: shard 2/3, but 1.json is shard 1/2"),
      (try part(Shard(2, of: 2), schema: "t/1"), "2.json: t/1, but 1.json is s/1"),
      (try part(Shard(2, of: 2), version: "2"), "2.json: made by lab 2; this is 1"),
    ]
    for (other, reason) in cases {
      let problem = #expect(throws: ShardResults.Problem.self) { try merge([first, other]) }
      #expect(problem?.description == reason)
    }
    let alone = #expect(throws: ShardResults.Problem.self) { try merge([first]) }
    #expect(alone?.description == "of 2 shards these are missing: 2")
  }
}
