import Ports

/// Words that are no command of the app.
package struct AppCommandError: Error, Equatable, Sendable, CustomStringConvertible {
  package var description: String

  package init(_ description: String) { self.description = description }
}

extension AppCommand {
  /// How each command is written that a person types; scenarios also have ``Overlap/words``.
  package static let usage = [
    "sign-in [--generation N | --text TEXT]", "get [NAME]", "set NAME VALUE", "secret NAME VALUE",
    "remove [NAME]", "refresh [--to N]", "sign-out",
  ]

  /// Reads the words of a command line.
  package init(words: [String]) throws(AppCommandError) {
    guard let name = words.first else {
      throw AppCommandError("no command; one of: \(Self.usage.joined(separator: " | "))")
    }
    let rest = Array(words.dropFirst())
    switch (name, rest.count) {
    case ("sign-in", 0): self = .signIn(.generation(1))
    case ("sign-in", 2) where rest[0] == "--text":
      self = .signIn(.text(JavaScriptString(rest[1])))
    case ("sign-in", 2) where rest[0] == "--generation":
      self = .signIn(.generation(try Self.generation(rest[1])))
    case ("get", 0): self = .get(item: nil)
    case ("get", 1): self = .get(item: rest[0])
    case ("set", 2): self = .set(item: rest[0], value: JavaScriptString(rest[1]))
    case ("secret", 2): self = .secret(item: rest[0], value: rest[1])
    case ("remove", 0): self = .remove(item: nil)
    case ("remove", 1): self = .remove(item: rest[0])
    case ("refresh", 0): self = .refresh(to: nil)
    case ("refresh", 2) where rest[0] == "--to":
      self = .refresh(to: try Self.generation(rest[1]))
    case ("sign-out", 0): self = .signOut
    case ("become", 1) where AppState(rawValue: rest[0]) != nil:
      self = .become(AppState(rawValue: rest[0]) ?? .active)
    case ("open", 1): self = .open(url: rest[0])
    case ("overlap", 8) where stride(from: 0, to: 8, by: 2).map { rest[$0] } == Self.overlapOptions:
      self = .overlap(try Self.overlap(rest))
    default:
      let fitting = Self.usage.filter { $0 == name || $0.hasPrefix("\(name) ") }
      let allowed = fitting.isEmpty ? Self.usage : fitting
      let reason = fitting.isEmpty ? "no app command '\(name)'" : "wrong words after '\(name)'"
      throw AppCommandError("\(reason); allowed: \(allowed.joined(separator: " | "))")
    }
  }

  private static let overlapOptions = ["--to", "--writers", "--readers", "--order"]

  private static func overlap(_ rest: [String]) throws(AppCommandError) -> Overlap {
    guard let writers = Int(rest[3]), (0...Overlap.countMax).contains(writers),
      let readers = Int(rest[5]), (0...Overlap.countMax).contains(readers), writers + readers > 0
    else {
      throw AppCommandError("an overlap has up to \(Overlap.countMax) writers, and readers")
    }
    guard let order = Overlap.order(rest[7]) else {
      throw AppCommandError("the order '\(rest[7])' is no text of digits")
    }
    return Overlap(
      generation: try generation(rest[1]), writerCount: writers, readerCount: readers,
      order: order)
  }

  private static func generation(_ word: String) throws(AppCommandError) -> Int {
    guard let number = Int(word), (1...1_000_000).contains(number) else {
      throw AppCommandError("generation '\(word)' is no whole number from 1 to 1000000")
    }
    return number
  }
}
