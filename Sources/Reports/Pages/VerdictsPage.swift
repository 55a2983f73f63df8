import Chaos
import Zoo

extension ReferencePage {
  /// What a launch or a refused save may show, and which broken store shows each failure.
  static var verdicts: ReferencePage {
    var page = ReferencePage(
      "Verdicts.md", title: "Verdicts and failures",
      intro: [
        "A verdict is what one launch, or one save that did not succeed, has shown. A scenario expects a list",
        "of them, in the order in which they come; a launch that shows nothing new adds none. The",
        "oracle compares the identity of what was read with what was saved and acknowledged; it never asks",
        "whether a text merely parsed.",
      ])
    page.section("Right")
    page.table(
      ["verdict", "means"],
      Verdict.allCases.filter { !$0.isFailure }.map { ["`\($0.rawValue)`", $0.meaning] })
    page.section("Failures")
    page.lines += [
      "The last column names stores that are broken on purpose, and that only this oracle catches",
      "(`lab selftest`, `lab list twins`); `--store zoo/NAME` uses one in any other command.", "",
    ]
    page.table(
      ["failure", "means", "broken store that shows it"],
      Verdict.allCases.filter(\.isFailure).map { verdict in
        let twins = Twin.all.filter { $0.failure == verdict.rawValue }.map { "`\($0.storeName)`" }
        return ["`\(verdict.rawValue)`", verdict.meaning, twins.joined(separator: ", ")]
      })
    page.section("What is right when")
    page.lines += [
      "- After a power cut or a restored backup an older acknowledged session is `keep`, printed with how many",
      "  generations it is behind (`keep -1`). The server forgives exactly one missed refresh, so two behind is",
      "  `falseSignOut` unless a fault made it so.",
      "- A missing session is right after a sign-out, before the first save, when a fault took a half, or when the",
      "  power failed before any save was durable. It must then leave nothing stored (`cleanOut`), or it",
      "  is `secretLeft`.",
      "- A refusal to read is `defer` as long as both halves stay as they were; a read that fails and deletes is",
      "  `falseSignOut`.",
      "- With the lab's own client and server, what counts is whether the server would go on with what is shown.",
      "  An app that nobody looks at is judged by what it changes; what it says counts only where it says that it",
      "  cannot tell (`defer`). Where the server has ended the session, `cleanOut` also means that the client has",
      "  told its listeners exactly once.",
      "- A refused save or sign-in is `reject` only while both halves stay as they were; else the next look tells.",
      "",
      "How they are put to use: [Scenario format](Scenarios.md#expect). Why they can be trusted:",
      "[Why you can trust a finding](Trust.md).",
    ]
    return page
  }
}
