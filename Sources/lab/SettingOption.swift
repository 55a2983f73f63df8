import Chaos
import JSON
import Terminal

/// The value of `--set`: knobs with their values, `asyncStorage=v3,size=small`.
enum SettingOption {
  /// - Parameters:
  ///   - text: What was typed.
  ///   - usable: The settings that change something there.
  ///   - help: Where more is to be read.
  /// - Returns: The settings.
  /// - Throws: `Failure` that names the nearest word, or a setting that would be passed over.
  static func settings(
    _ text: String, among usable: [ScenarioSettings.Key], help: String
  ) throws -> ScenarioSettings {
    var settings = ScenarioSettings()
    for pair in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw Failure.wrongUsage("--set: '\(pair)' is no KEY=VALUE", help: help)
      }
      guard let key = ScenarioSettings.key(parts[0]) else {
        throw unknown("setting", parts[0], ScenarioSettings.keys.map(\.name), help)
      }
      guard usable.contains(key) else {
        throw Failure.wrongUsage(
          "--set: '\(key.name)' changes nothing here   "
            + "(\(usable.map(\.name).joined(separator: "|")))", help: help)
      }
      guard key.values.contains(parts[1]) else {
        throw unknown("value of \(key.name)", parts[1], key.values, help)
      }
      settings[key] = parts[1]
    }
    return settings
  }

  private static func unknown(
    _ kind: String, _ word: String, _ allowed: [String], _ help: String
  ) -> Failure {
    let nearest = NearestWord.to(word, among: allowed).map { "; nearest: \($0)" } ?? ""
    return Failure.wrongUsage(
      "--set: no \(kind) '\(word)'\(nearest)   (\(allowed.joined(separator: "|")))", help: help)
  }
}
