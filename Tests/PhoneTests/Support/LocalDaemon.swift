import Phone
import Ports
import Testing

/// The keychain's service in this process, with a note of every request and its status.
final class LocalDaemon: SystemDaemon {
  private let journal: Journal
  var service: KeychainService?

  init(_ service: KeychainService, _ journal: Journal) {
    self.service = service
    self.journal = journal
  }

  func call(_ request: String) async throws(DaemonUnavailable) -> String {
    guard let service else { throw DaemonUnavailable(reason: "stopped") }
    do {
      let parsed = try KeychainRequest(request)
      let answer = service.answer(parsed)
      service.finish()
      journal.note("\(Self.word(for: parsed)) \(answer.status.rawValue)")
      return answer.text
    } catch {
      Issue.record("bad request: \(error)")
      return KeychainAnswer(.parameter).text
    }
  }

  private static func word(for request: KeychainRequest) -> String {
    switch request {
    case .add(let item): "Add \(item.query.service)"
    case .update(let query, _, _): "Update \(query.service)"
    case .copyMatching(let query): "CopyMatching \(query.service)"
    case .delete(let query): "Delete \(query.service)"
    default: request.text
    }
  }
}
