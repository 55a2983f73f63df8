import Mount
import Chaos
import Gallery
import JSON
import Linux

func go() throws {
  let exe = try Files.currentExecutable()
  let run = "/tmp/lab-run-\(Clocks.monotonicNs)"
  try Files.makeDirectory(run)
  var setup = PhoneSetup()
  setup.seed = 1
  let host = try PhoneHost(
    at: "/tmp/lab-phone", runtimeDirectory: run, programs: .init(besideExecutable: exe),
    setup: setup)
  defer { host.shutDown() }
  if CommandLine.arguments.contains("sleep") { _ = host.mounted.waitUntilEnded(timeoutMs: 20000) }
  let runner = ScenarioRunner(on: host, seed: 42)
  let wanted = CommandLine.arguments.dropFirst()
  for file in GalleryFiles.all where wanted.isEmpty || wanted.contains(file.name) {
    let scenario: Scenario
    do {
      scenario = try ScenarioReader.read(Array(file.text.utf8), name: file.name)
    } catch {
      print(Diagnostic(error, file: file.name, source: file.text).text)
      continue
    }
    for store in ["recipe", "healing", "keychain-only"]
    where scenario.stores.isEmpty || scenario.stores.contains(store) {
      let start = Clocks.monotonicNs
      let result = try runner.run(scenario, store: store)
      for one in result.all {
        print(
          scenario.name, store, one.name, one.verdicts.map(\.rawValue), "\(one.outcome)",
          one.faults)
        if one.outcome != .asExpected {
          for j in one.judgements { print("    ", j.because) }
          for row in one.story { print("    ", row.text, "|", row.key, "|", row.blob) }
        }
      }
      print("  ", (Clocks.monotonicNs - start) / 1_000_000, "ms")
    }
  }
}
do { try go() } catch { print("error: \(error)") }
