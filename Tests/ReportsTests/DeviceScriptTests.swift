import Chaos
import Phone
import Testing

@testable import Reports

@Suite struct `A script for a device` {
  /// A fault as a file would ask for it.
  private func request(_ kind: FaultKind) throws -> FaultRequest {
    let values: [FaultParameter: String] = [
      .by: "1s", .path: "manifest.json", .code: "EIO", .user: "ada@example.com",
    ]
    var parameters: [String: String] = [:]
    for parameter in kind.parameters where kind.fallback(parameter) == nil {
      parameters[parameter.rawValue] = values[parameter]
    }
    let isNow = kind.canHappenNow || kind.isOnServer
    return try FaultRequest(
      kind.rawValue, at: isNow ? nil : kind.exampleTrigger, parameters: parameters)
  }

  @Test(arguments: DeviceTool.allCases) func `has a word for every fault`(tool: DeviceTool) throws {
    for kind in FaultKind.allCases {
      for phone in tool.phones {
        let step = Scenario.Step(.launch(times: 1), fault: try request(kind))
        let script = DeviceScript("a", on: phone, [step], as: tool, bundle: "a.b")
        let counts = script.counts
        #expect(counts.commands + counts.byHand + counts.nothing >= 1, "\(kind)")
        let reasons = script.lines.count { $0.hasPrefix("# NO EQUIVALENT: ") }
        #expect(reasons == counts.nothing, "\(kind)")
      }
    }
  }

  @Test func `sends faults of a server to lab serve, with their values`() throws {
    let fault = try FaultRequest("refuse", parameters: ["status": "503", "path": "/token"])
    let script = DeviceScript(
      "a", on: .ios, [Scenario.Step(.refresh(to: nil), fault: fault)], as: .simctl, bundle: "a.b")
    let line = "./lab inject refuse --status '\\''503'\\'' --path '\\''/token'\\''"
    #expect(script.lines.contains { $0.contains(line) }, "\(script.lines)")
  }

  @Test func `starts an app as often as the step says`() {
    let step = Scenario.Step(.launch(times: 3))
    let script = DeviceScript("a", on: .android, [step], as: .maestro, bundle: "a.b")
    #expect(script.lines.count { $0 == "- launchApp" } == 3)
  }

  @Test(arguments: [
    ("com.example.app-1_x", true), ("", false), ("a b", false), ("a;b", false), ("a\nb", false),
    ("ä", false), ("$(id)", false),
  ]) func `takes ids of apps only`(text: String, isOne: Bool) {
    #expect(DeviceScript.isBundle(text) == isOne)
  }
}
