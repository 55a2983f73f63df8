import Chaos
import Device
import Phone

extension ReferencePage {
  /// What a device promises about a power cut, which errors a call may give, and what `lab lint` looks for.
  static var profiles: ReferencePage {
    var page = ReferencePage(
      "Profiles.md", title: "Persistence profiles and rules",
      intro: [
        "A profile says what a power cut may leave of changes that were not durable. Each part of a phone has",
        "one of its own, and the parts are cut independently of each other. What a profile means for a single",
        "change: [What is modelled and what is not](Model.md#a-power-cut).",
      ])
    page.section("Profiles")
    let domains = PhoneKind.allCases.flatMap { phone in
      ((try? phone.phone([:]).domains) ?? []).map { (phone: phone.rawValue, domain: $0) }
    }
    page.table(
      ["profile", "what it stands for", "parts of the phones that have it"],
      PersistenceProfile.all.map { profile in
        let users = domains.filter { $0.domain.profile == profile.name }
          .map { "\($0.phone): \($0.domain.name)" }
        return ["`\(profile.name)`", profile.reason, users.joined(separator: ", ")]
      })
    page.lines += [
      "",
      "Another one for the whole phone: `--profile NAME` of `lab explore` and `lab mount`, the setting",
      "`profile` in a scenario.",
    ]
    page.section("Errors that a call can give")
    page.lines += [
      "`call-error` takes no other: a finding from an impossible error would be a defect of the lab.",
      "",
    ]
    page.table(
      ["call", "error", "when"],
      OperationKind.allCases.flatMap { kind in
        LegalErrors.reasons(for: kind).map {
          ["`\(kind.rawValue)`", "`\($0.error.symbol)`", $0.reason]
        }
      })
    page.section("Rules of `lab lint`")
    page.table(
      ["rule", "what it finds"],
      LintRule.allCases.map { rule in
        ["`\(rule.rawValue)`", String(rule.summary.dropFirst("lint: ".count))]
      })
    page.section("Rules of faults")
    page.lines.append(
      "Each fault names the rule by which it can happen: [Fault catalogue](Faults.md).")
    return page
  }
}
