import Chaos
import Phone
import Session

extension ReferencePage {
  /// Phones with their parts, stores, and every setting.
  static var phones: ReferencePage {
    var page = ReferencePage(
      "Phones.md", title: "Phones, stores and settings",
      intro: [
        "`--phone`, `--store` and `--set KEY=VALUE` on command lines; `phones`, `stores`, `settings` and `vary`",
        "in a [scenario](Scenarios.md).",
      ])
    for phone in PhoneKind.allCases { page.add(phone) }
    page.section("Stores")
    page.table(
      ["store", "what it is", "halves"],
      (StoreKind.all + [.chunked]).map { store in
        let halves = [("key", StoreKind.Parts.key), ("blob", .blob)]
          .filter { store.parts.contains($0.1) }.map(\.0)
        return ["`\(store.name)`", store.summary, halves.joined(separator: ", ")]
      })
    page.lines += [
      "",
      "A store of your own: [Put your own store under test](TestYourOwnStore.md); one more of these:",
      "[Add a phone, a store, a fault, an oracle](Extend.md#a-store).",
    ]
    page.section("Settings of the app, its libraries and its server")
    page.table(
      ["setting", "what it decides", "values, the first is the default"],
      ScenarioSettings.keys.filter { !ScenarioSettings.phoneKeys.contains($0) }.map(Self.cells))
    return page
  }

  private mutating func add(_ phone: PhoneKind) {
    section("`\(phone.rawValue)`")
    lines += [Self.sentence(phone.summary), ""]
    if let domains = try? phone.phone([:]).domains {
      table(
        ["part", "half", "where", "profile"],
        domains.map { ["\($0.name)", $0.half.rawValue, "`\($0.prefix)`", "`\($0.profile)`"] })
    }
    lines.append("")
    let own = Set(phone.knobs.map(\.name))
    table(
      ["setting", "what it decides", "values, the first is the default"],
      ScenarioSettings.phoneKeys.filter { own.contains($0.option) }.map(Self.cells))
  }

  private static func cells(_ key: ScenarioSettings.Key) -> [String] {
    ["`\(key.name)`", key.meaning, key.values.map { "`\($0)`" }.joined(separator: " ")]
  }
}
