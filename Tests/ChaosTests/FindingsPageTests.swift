import Chaos
import Foundation
import Phone
import Reports
import Session
import Testing

@Suite struct `The page of findings` {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Faults/FINDINGS.md")

  @Test func `is what an app as it is mostly written loses`() throws {
    let outcomes = try PhoneKind.allCases.map { phone in
      try SessionExplorer(SessionPlan(phone: phone, store: "recipe", profile: .seed)).run()
    }
    let fresh = FindingsPage(outcomes).text
    if ProcessInfo.processInfo.environment["LAB_WRITE_PAGES"] != nil {
      try fresh.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    #expect(text == fresh, "LAB_WRITE_PAGES=1 renews Faults/FINDINGS.md")
    #expect(text.contains("| falseSignOut | android |"))
  }
}
