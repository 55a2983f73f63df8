/// An option with a value, `--seed 7` or `--seed=7`.
package struct Option<Value: Sendable>: Sendable {
  /// Without the dashes.
  package let name: String
  package let kind: ValueKind<Value>
  /// One sentence without its full stop.
  package let summary: String
  package let isRepeatable: Bool

  package init(
    _ name: String, _ kind: ValueKind<Value>, _ summary: String, isRepeatable: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.summary = summary
    self.isRepeatable = isRepeatable
  }
}

/// An option without a value, `--json`.
package struct Flag: Sendable {
  package let name: String
  package let summary: String

  package init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }
}

/// What the parser and the help page need to know of an option or a flag.
package protocol OptionDefinition: Sendable {
  var name: String { get }
  var summary: String { get }
  /// `nil` for a flag.
  var placeholder: String? { get }
  var isRepeatable: Bool { get }
  /// What a shell offers as its value.
  var offer: Offer { get }

  /// Why a value is refused, or `nil` if it is taken.
  func refusal(_ text: String) -> String?
}

extension Option: OptionDefinition {
  package var placeholder: String? { kind.placeholder }

  package var offer: Offer {
    Offer(kind.words, isList: kind.isList, files: Offer.Files(placeholder: kind.placeholder))
  }

  package func refusal(_ text: String) -> String? {
    kind.parse(text) == nil ? kind.refusal(text, of: "--" + name) : nil
  }
}

extension Flag: OptionDefinition {
  package var placeholder: String? { nil }
  package var isRepeatable: Bool { false }
  package var offer: Offer { Offer() }

  package func refusal(_ text: String) -> String? { "--\(name) takes no value" }
}

/// The flags and options that every command has.
package enum CommonOptions {
  package static let help = Flag("help", "print this page (-h)")
  package static let quiet = Flag("quiet", "no progress and no notes (-q)")
  package static let verbose = Flag("verbose", "more rows and file names (-v)")
  package static let color = Option<ColorChoice>(
    "color", .word("WHEN"), "auto|always|never; auto obeys NO_COLOR and pipes")

  static let all: [any OptionDefinition] = [help, quiet, verbose, color]
  static let short = ["-h": "help", "-q": "quiet", "-v": "verbose"]
}
