import Chaos
import JSON
import Session
import Terminal
import Zoo

/// What the page wants: a word of the phone's own, or a run of the reference app.
enum UIOrder: Sendable {
  case phone(PhoneVerb)
  /// The words behind `lab app`.
  case app([String])
  /// Which store's app the forecasts start.
  case store(String)

  /// Words that are no wish.
  struct Misunderstood: Error {
    let reason: String
  }

  private static let appCommands = ["sign-in", "get", "refresh", "sign-out"]

  /// Reads a message, which is as the phone's control socket takes it, or
  /// `{"verb":"app","store":"durable","do":"refresh"}`.
  init(_ text: String) throws(Misunderstood) {
    do {
      var object = try JSONReader.read(text).object("a wish")
      switch try object.required("verb").text() {
      case "app":
        let store = try Self.store(&object)
        let command = try object.required("do").word("command", of: Self.appCommands)
        try object.finish()
        self = .app(["--store", store, command])
      case "store":
        self = .store(try Self.store(&object))
        try object.finish()
      default:
        self = .phone(try PhoneVerb(text))
        try check()
      }
    } catch let error as Misunderstood {
      throw error
    } catch let error as JSONError {
      throw Misunderstood(reason: "\(error.problem)")
    } catch let error as FaultGrammarError {
      throw Misunderstood(reason: error.reason)
    } catch {
      throw Misunderstood(reason: "\(error)")
    }
  }

  private static func store(_ object: inout ObjectReader) throws(JSONError) -> String {
    let node = try object.required("store")
    guard let store = KnownStores.named(try node.text()) else {
      return try node.word("store", of: StoreKind.all.map(\.name))
    }
    return store.name
  }

  private func check() throws {
    guard case .phone(let verb) = self else { return }
    switch verb {
    case .inject(let order):
      let request = try FaultRequest(
        order.text, at: order.at, times: order.times, parameters: order.parameters)
      if request.kind.isOnServer {
        throw Misunderstood(reason: "\(request.kind.rawValue) happens to a server, not to a phone")
      }
    case .snapshot(let name, _), .restore(let name, _, _):
      if let problem = SnapshotName.problem(of: name) { throw Misunderstood(reason: problem) }
    case .disarm, .release, .reset, .undo, .unmount: break
    case .status, .faults, .look, .lint, .register, .app:
      throw Misunderstood(reason: "the page does not do that; it reads api/view")
    }
  }
}

extension UIOrder {
  /// The same as a command line, with the phone's name where it has to be said; empty where there is
  /// none.
  func line(on phone: String?) -> String {
    let words =
      switch self {
      case .store: [String]()
      case .app(let words): ["lab", "app"] + words
      case .phone(let verb): verb.commandLine
      }
    return words.isEmpty ? "" : ShellWord.line(words + (phone.map { ["--on", $0] } ?? []))
  }
}

extension PhoneVerb {
  fileprivate var commandLine: [String] {
    switch self {
    case .inject(let order):
      ["lab", "inject", order.text] + (order.at.map { ["--at", $0] } ?? [])
        + (order.times == 1 ? [] : ["--times", String(order.times)])
        + order.parameters.sorted { $0.key < $1.key }.flatMap { ["--\($0.key)", $0.value] }
    case .disarm(let id): ["lab", "faults", "--disarm", String(id)]
    case .release: ["lab", "faults", "--release"]
    case .reset(let device): ["lab", "reset"] + (device ? ["--device"] : [])
    case .snapshot(let name, let half): ["lab", "snapshot", name] + Self.option(half)
    case .restore(let name, let half, let device):
      ["lab", "restore", name] + Self.option(half) + (device == "same" ? [] : ["--device", device])
    case .unmount: ["lab", "unmount"]
    case .undo, .status, .faults, .look, .lint, .register, .app: []
    }
  }

  private static func option(_ half: Scenario.HalfChoice) -> [String] {
    half == .both ? [] : ["--half", half.rawValue]
  }
}
