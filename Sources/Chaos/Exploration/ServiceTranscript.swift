import Device
import Phone
import Simulation

/// An answer of the phone's service, and what it has left in its files.
struct ServiceAnswer: Hashable {
  let text: String
  /// Which state of its files that is, from 0, the one that it began on: equal ones have one number.
  let state: Int
}

/// What a phone's service is asked from here on, what it answers, and what it reads for that.
final class ServiceTranscript {
  struct Exchange {
    let request: String
    let text: String
    /// The digests of the service's folders after it.
    let files: [ImageDigest]
    /// The pages of the image that were read for it and not before.
    let reads: [ReadTrace.Place]
  }

  private let phone: SimulatedPhone
  private let folders: [String]
  private let holdsToken: (Volume) -> Bool
  private let beginning: [ImageDigest]
  private var readCount = 0
  private var answersAll = true
  private(set) var exchanges: [Exchange] = []

  /// Begins on a phone that has just gone on with a device.
  ///
  /// - Parameters:
  ///   - phone: The phone.
  ///   - holdsToken: Whether a token stands in the clear in any file.
  init(of phone: SimulatedPhone, _ holdsToken: @escaping (Volume) -> Bool) {
    self.phone = phone
    self.holdsToken = holdsToken
    let folders = phone.serviceFolders
    self.folders = folders
    beginning = phone.withDevice { $0.liveDigests(below: folders) }
    phone.onExchange = { [weak self] in self?.note($0, $1, changes: $2) }
  }

  /// Whether the service has answered each time, by its own files alone, and has written no token.
  var isApart: Bool { answersAll && phone.box.reads?.isApart == true }

  /// What was asked after the first so many requests; `nil` when it was not answered apart.
  func exchanges(from start: Int) -> [Exchange]? { isApart ? Array(exchanges[start...]) : nil }

  private func note(_ request: String, _ answer: String?, changes: Bool) {
    let former = exchanges.last?.files ?? beginning
    let files =
      changes ? phone.withDevice { [folders] in $0.liveDigests(below: folders) } : former
    let isNew = files != former
    guard let answer, !isNew || !holdsToken(phone.withDevice { $0.live }) else {
      return answersAll = false
    }
    exchanges.append(
      Exchange(
        request: request, text: answer, files: files,
        reads: phone.box.reads?.places(readBy: .service, from: readCount) ?? []))
    readCount = phone.box.reads?.count ?? 0
  }

  /// What was answered to these requests, when they were the first ones.
  func answers(_ exchanges: [Exchange]) -> [(request: String, answer: ServiceAnswer)] {
    var states = [beginning]
    return exchanges.map { exchange in
      let known = states.firstIndex(of: exchange.files)
      if known == nil { states.append(exchange.files) }
      let answer = ServiceAnswer(text: exchange.text, state: known ?? states.count - 1)
      return (exchange.request, answer)
    }
  }
}
