import Testing

@Suite struct `The repository is tidy` {
  private let sources: [SourceFile]
  private let tests: [SourceFile]
  private let manifest: Manifest

  /// Read once: each test is a suite of its own.
  private static let all = Result {
    (
      sources: try Repository.swiftFiles(in: ["Sources", "Faults", "Plugins", "Benchmarks"]),
      tests: try Repository.swiftFiles(in: ["Tests"]),
      manifest: Manifest(try Repository.text("Package.swift"))
    )
  }

  init() throws { (sources, tests, manifest) = try Self.all.get() }

  private func expectNone(_ findings: [String]) {
    #expect(findings.isEmpty, "\n\(findings.joined(separator: "\n"))")
  }

  @Test func `and all of it was found`() {
    #expect(sources.count > 20 && tests.count > 10)
    #expect(manifest.dependencies["JSON"] == [])
    #expect(manifest.dependencies["Phone"]?.contains("Ports") == true)
    #expect(Set(sources.compactMap(\.target)).isSubset(of: manifest.dependencies.keys))
  }

  @Test func `in the length of files and functions`() {
    expectNone((sources + tests).flatMap(Checks.fileLength))
    expectNone(sources.flatMap(Checks.functionLength))
  }

  @Test func `in leftover notes`() throws {
    var others: [SourceFile] = []
    for path in ["Package.swift", "lab", ".ci/run"] {
      others.append(SourceFile(path: path, text: try Repository.text(path)))
    }
    expectNone((sources + tests + others).flatMap(Checks.leftovers))
  }

  @Test func `in what a run depends on`() { expectNone(sources.flatMap(Checks.hiddenInputs)) }

  @Test func `in what leaves the executor`() { expectNone(sources.flatMap(Checks.escapes)) }

  @Test func `in its memory`() { expectNone(sources.flatMap(Checks.unsafeCode)) }

  @Test func `in its errors`() { expectNone(sources.flatMap(Checks.swallowedErrors)) }

  @Test func `in who imports whom`() {
    expectNone(Checks.arrows(manifest))
    expectNone(sources.flatMap { Checks.imports($0, manifest) })
  }

  @Test func `in that app code never sees the device`() {
    for file in sources where ["Phone", "Session", "Zoo"].contains(file.target) {
      let seen = Set(file.imports).intersection(["Device", "Simulation", "Machine", "Mount"])
      #expect(seen.isEmpty, "\(file.path) imports \(seen.sorted())")
    }
  }

  @Test func `in the docs of what is public`() { expectNone(sources.flatMap(Checks.undocumented)) }

  @Test func `in the links of its docs`() {
    expectNone(Checks.deadLinks(sources.filter { $0.target != nil }))
  }

  @Test func `in the names of types`() { expectNone(sources.flatMap(Checks.moduleNames)) }
}
