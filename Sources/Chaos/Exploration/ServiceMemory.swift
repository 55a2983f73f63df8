import Device
import Simulation

/// Knows what the phone's service answers on images, by what it has read of them.
///
/// The contract. The service is a process of its own, and ``ReadTrace/isApart`` says that it has kept to
/// its own files, and everybody else to others. There is room for all, no fault is armed, and the clock
/// stands still. So all that it answers, and leaves in its files, follows from these files as it found
/// them, from how often it was started, which decides what it draws, and from what it was asked.
///
/// The app, in turn, sees of it the answers alone; and the oracle whether its files have changed, which
/// ``ServiceAnswer/state`` says, and whether a token stands in them, in which case nothing is known. So a
/// recovery on files of the app that were read before, with answers that were given before, goes as
/// before, though the halves have never met.
final class ServiceMemory {
  /// What its answers follow from, beside the contents of its files and what it is asked.
  struct Beginning: Hashable {
    let names: [ImageDigest]
    /// Whether the names stand for all that they show.
    var isByFile = false
    let nowMs: Int64
    let startCount: Int
    let token: [UInt8]
  }

  /// A service that was asked something.
  fileprivate final class Stage {
    /// By the next request.
    private var known: [String: ReadTree<(answer: ServiceAnswer, next: Stage)>] = [:]

    func answer(
      to request: String, on image: some LookedAt
    ) throws(PhoneHostError) -> (answer: ServiceAnswer, next: Stage)? {
      try known[request]?.leaf(of: image)
    }

    /// The stage after one more answer.
    func next(
      _ request: String, _ answer: ServiceAnswer, after reads: [ReadTrace.Place],
      of image: some LookedAt
    ) throws(PhoneHostError) -> Stage {
      if let following = try self.answer(to: request, on: image) { return following.next }
      let tree = known[request] ?? ReadTree()
      known[request] = tree
      let next = Stage()
      tree.insert((answer, next), after: reads, of: image)
      return next
    }
  }

  private var stages: [Beginning: Stage] = [:]

  fileprivate func stage(_ beginning: Beginning) -> Stage {
    if let stage = stages[beginning] { return stage }
    let stage = Stage()
    stages[beginning] = stage
    return stage
  }

  /// Notes what a service has answered from its beginning on, each time after it had read these pages.
  func note(
    _ exchanges: [(request: String, answer: ServiceAnswer)], after reads: [[ReadTrace.Place]],
    _ beginning: Beginning, on image: some LookedAt
  ) throws(PhoneHostError) {
    var stage = stage(beginning)
    for (index, exchange) in exchanges.enumerated() {
      stage = try stage.next(
        exchange.request, exchange.answer, after: reads.isEmpty ? [] : reads[index], of: image)
    }
  }
}

/// What a service answers that begins on an image: as it is known, or as it answers when it is started
/// there and asked.
final class ServiceDialogue<Image: LookedAt> {
  typealias Start = () throws(PhoneHostError) -> (SimulatedPhone, ServiceTranscript)

  private let image: Image
  private let start: Start?
  private var stage: ServiceMemory.Stage
  private var asked: [String] = []
  private var running: (phone: SimulatedPhone, transcript: ServiceTranscript)?

  /// - Parameters:
  ///   - beginning: What its answers follow from.
  ///   - image: Where it begins.
  ///   - memory: What is known, and will be.
  ///   - start: Starts it; `nil` where only what is known is wanted.
  init(
    _ beginning: ServiceMemory.Beginning, on image: Image, _ memory: ServiceMemory,
    start: Start? = nil
  ) {
    self.image = image
    self.start = start
    stage = memory.stage(beginning)
  }

  /// The answer to one more request; `nil` when it follows from more than the service's files.
  func answer(to request: String) throws(PhoneHostError) -> ServiceAnswer? {
    if running == nil, let known = try stage.answer(to: request, on: image) {
      asked.append(request)
      stage = known.next
      return known.answer
    }
    guard let (phone, transcript) = try started() else { return nil }
    asked.append(request)
    _ = phone.exchange(request)
    guard transcript.isApart, let exchange = transcript.exchanges.last,
      let answer = transcript.answers(transcript.exchanges).last?.answer
    else { return nil }
    stage = try stage.next(request, answer, after: exchange.reads, of: image)
    return answer
  }

  private func started() throws(PhoneHostError) -> (SimulatedPhone, ServiceTranscript)? {
    if let running { return running }
    guard let started = try start?() else { return nil }
    for request in asked { _ = started.0.exchange(request) }
    running = started
    return started
  }
}
