/// Says why an app and a server refuse each other's hand-offs (R-HAND-25).
///
/// The settings drift when one side is deployed alone; then every hand-off is refused, closed and
/// without a word on the phone. So the doctor compares what was shipped with what is deployed.
package enum TrustDoctor {
  /// - Returns: One line for each setting that is in the way, or nothing if hand-offs can work.
  package static func diagnose(app: TrustSettings, server: TrustSettings) -> [String] {
    var lines: [String] = []
    let appList = list(of: app, side: "app", into: &lines)
    let serverList = list(of: server, side: "server", into: &lines)
    guard let appList, let serverList else { return lines }
    if appList.scheme != serverList.scheme {
      lines.append(
        "\(TrustSettings.Field.scheme.rawValue) differs: app '\(appList.scheme)', "
          + "server '\(serverList.scheme)'")
    }
    lines += differences(appList, serverList, only: "app") { "the server refuses \($0)" }
    lines += differences(serverList, appList, only: "server") { "the app refuses \($0)" }
    return lines
  }

  private static func list(
    of settings: TrustSettings, side: String, into lines: inout [String]
  ) -> TrustList? {
    do throws(TrustProblem) {
      return try settings.list()
    } catch {
      lines.append("\(side): \(error)")
      return nil
    }
  }

  private static func differences(
    _ one: TrustList, _ other: TrustList, only side: String, effect: (String) -> String
  ) -> [String] {
    one.origins.filter { !other.origins.contains($0) }.map {
      "\(TrustSettings.Field.origins.rawValue) differs: '\($0.text)' only in the \(side)'s; "
        + effect("it")
    }
  }
}
