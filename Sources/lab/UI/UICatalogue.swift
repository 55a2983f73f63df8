import Chaos
import Device
import JSON
import Session

import enum Ports.LogicalPoint

/// What the page builds its buttons from: everything that can happen to a phone.
enum UICatalogue {
  static let json: JSONValue = [
    "schema": "lab.catalogue/1",
    "faults": .list(FaultKind.onPhones.map(fault)),
    "points": .list(
      LogicalPoint.allCases.map { point in
        ["name": .text(point.rawValue), "words": .text(point.words)]
      }),
    "calls": .list(
      OperationKind.allCases.filter { $0 != .point }.map { call in
        let errors = LegalErrors.reasons(for: call).map { JSONValue.text($0.error.symbol) }
        return ["name": .text(call.rawValue), "errors": .list(errors)]
      }),
    "stores": .list(
      StoreKind.all.map { store in
        ["name": .text(store.name), "summary": .text(store.summary)]
      }),
  ]

  private static func fault(_ kind: FaultKind) -> JSONValue {
    [
      "name": .text(kind.rawValue), "group": .text(kind.group.rawValue),
      "summary": .text(kind.summary), "rule": .text(kind.rule),
      "now": .bool(kind.canHappenNow), "example": .text(kind.exampleTrigger),
      "parameters": .list(
        kind.parameters.map { parameter -> JSONValue in
          // A few words serve faults of servers, too.
          let summary = parameter.summary.split(separator: "; of a server").first ?? ""
          return [
            "name": .text(parameter.rawValue), "summary": .text(String(summary)),
            "default": kind.fallback(parameter).map { .text($0) } ?? .null,
          ]
        }),
    ]
  }
}
