import Chaos
import JSON
import Linux
import Session
import Terminal

/// Carries out what the page wants, each wish on a thread of its own: an app that hangs must not keep
/// a kill from ending it.
final class UIDesk: Sendable {
  /// One wish and what came of it.
  struct Job: Sendable {
    enum Status: Sendable {
      case running
      case done(JSONValue)
      case refused(String)
    }

    let id: Int
    let line: String
    let words: String
    var status = Status.running
  }

  private struct Board {
    var jobs: [Job] = []
    var nextID = 1
    var version = 0
  }

  private static let runningMax = 8
  private static let keptMax = 30

  private let watch: UIWatch
  private let board = Locked(Board())
  /// The phone's name, where command lines have to say it.
  private let named: String?

  init(_ watch: UIWatch, named: String?) {
    self.watch = watch
    self.named = named
  }

  /// Grows with every change.
  var version: Int { board.withLock { $0.version } }
  /// The latest wishes, oldest first.
  var jobs: [Job] { board.withLock { $0.jobs } }

  /// Begins to carry out a wish.
  ///
  /// - Returns: Its number; `nil` when too many are under way.
  func take(_ order: UIOrder) -> Int? {
    let id = board.withLock { board -> Int? in
      guard board.jobs.count(where: \.isRunning) < Self.runningMax else { return nil }
      let id = board.nextID
      board.nextID += 1
      board.version += 1
      board.jobs.append(Job(id: id, line: order.line(on: named), words: order.words))
      let excess = max(0, board.jobs.count - Self.keptMax)
      let old = board.jobs.filter { !$0.isRunning }.prefix(excess).map(\.id)
      board.jobs.removeAll { old.contains($0.id) }
      return id
    }
    guard let id else { return nil }
    do {
      _ = try Thread("lab-ui-wish") { [self] in
        let status = outcome(of: order)
        finish(id, status)
      }
    } catch {
      finish(id, .refused("\(error)"))
    }
    return id
  }

  private func finish(_ id: Int, _ status: Job.Status) {
    // Looked at first: a page that sees the end sees what it led to.
    watch.refresh()
    board.withLock { board in
      board.version += 1
      guard let index = board.jobs.firstIndex(where: { $0.id == id }) else { return }
      board.jobs[index].status = status
    }
  }

  private func outcome(of order: UIOrder) -> Job.Status {
    do {
      switch order {
      case .store(let name):
        watch.chooseStore(name)
        return .done(["store": .text(name)])
      case .phone(let verb): return .done(try PhoneLink(again: watch.name).call(verb))
      case .app(let words): return .done(try runApp(words))
      }
    } catch let failure as Failure {
      return .refused(failure.lines.joined(separator: " "))
    } catch {
      return .refused("\(error)")
    }
  }

  private func runApp(_ words: [String]) throws -> JSONValue {
    let link = try PhoneLink(again: watch.name)
    let command = try link.call(.app(words))["command"]?.list?.compactMap(\.text) ?? []
    let (code, output) = try AppVerb.runApp(command, on: link) { false }
    if code == .killed { return ["outcome": "killed"] }
    guard !output.isEmpty else {
      return ["outcome": "ended", "message": .text("exit code \(code.rawValue)")]
    }
    return try AppResult(JSONReader.read(output)).json
  }
}

extension UIDesk.Job {
  var isRunning: Bool {
    if case .running = status { true } else { false }
  }

  var json: JSONValue {
    var fields: JSONObject = ["id": .integer(id), "line": .text(line), "words": .text(words)]
    switch status {
    case .running: fields["status"] = "running"
    case .refused(let reason):
      fields["status"] = "refused"
      fields["reason"] = .text(reason)
    case .done(let result):
      fields["status"] = "done"
      fields["result"] = result
    }
    return .object(fields)
  }
}

extension UIOrder {
  /// What it is, for the list of what happened.
  var words: String {
    switch self {
    case .store(let name): "forecasts for the store \(name)"
    case .app(let words): "app: \(words.last ?? "")"
    case .phone(.inject(let order)): order.text + (order.at.map { " at \($0)" } ?? "")
    case .phone(.disarm(let id)): "disarm fault \(id)"
    case .phone(.snapshot(let name, _)): "snapshot \(name)"
    case .phone(.restore(let name, let half, _)): "restore \(name): \(half.rawValue)"
    case .phone(.release): "release what is held"
    case .phone(.reset(let device)): device ? "reset the phone" : "disarm all"
    case .phone(.undo): "undo"
    case .phone(.unmount): "unmount"
    case .phone: ""
    }
  }
}
