import Device
import Phone
import Simulation

/// Has the app start on images, and keeps what that showed.
///
/// Two states of a phone are one when their images are equal by `ImageDigest`, the same is known
/// of them, and it is the same time. Equal states are recovered once; those that differ only in bytes
/// that a recovery has not read are like the one it began on; and once two recoveries have come to
/// equal states, they go on as one. A second cold start after a first one that changed no byte goes as
/// that one did: it is played for one in 64 of them, and wherever something was lost.
final class Recoverer {
  /// What a recovery follows from.
  struct State: Hashable {
    let digest: ImageDigest
    let knowledge: CasePlayer.Knowledge
    let nowMs: Int64
    /// What a witness of the native modules remembers, where there is one.
    var witnessed: [Half: Set<String>]?
  }

  /// What a recovery follows from beside the contents of files. A ``ReadTree`` tells those apart.
  private struct Outline: Hashable {
    let names: ImageDigest
    let knowledge: CasePlayer.Knowledge
    let nowMs: Int64
    let witnessed: [Half: Set<String>]?
  }

  /// What followed a first cold start, and all pages that may have had a part in it.
  private struct Ending {
    let judgements: [Judgement]
    let places: [ReadTrace.Place]
  }

  private let phone: SimulatedPhone
  private let launch: AppLaunch
  private let search = TokenSearch()
  var collapses = Collapses.all
  private(set) var images: [Exploration.Image] = []
  private var known: [State: Int] = [:]
  private var trees: [Outline: ReadTree] = [:]
  /// What followed a first cold start, by the state after it.
  private var endings: [State: Ending] = [:]
  /// How many images had to be recovered.
  private(set) var recoveredCount = 0
  /// How many recoveries were followed to their end.
  private(set) var endingCount = 0

  init(on phone: SimulatedPhone, _ launch: AppLaunch) {
    self.phone = phone
    self.launch = launch
  }

  /// The position in ``images`` of what two cold starts on an image show.
  ///
  /// - Parameters:
  ///   - state: What the recovery follows from.
  ///   - standing: What the phone is beside its device.
  ///   - makeDevice: Makes the device, when the state is new.
  /// - Returns: The position.
  /// - Throws: ``PhoneHostError`` when the lab could not have it recovered.
  func image(
    _ state: State, _ standing: SimulatedPhone.Standing, of makeDevice: () -> StorageDevice
  ) throws(PhoneHostError) -> Int {
    if collapses.contains(.images), let image = known[state] { return image }
    let judgements = try judgements(of: makeDevice(), state, standing)
    known[state] = images.count
    images.append(Exploration.Image(digest: state.digest, judgements: judgements))
    return images.count - 1
  }

  /// What recovering an image shows, or one that agrees with it in all that was read.
  private func judgements(
    of device: StorageDevice, _ state: State, _ standing: SimulatedPhone.Standing
  ) throws(PhoneHostError) -> [Judgement] {
    let player = CasePlayer(on: phone, launch: launch, from: state.knowledge)
    player.search = search
    // The oracle looks for the token in every file, read or not.
    let token = player.token(atMs: state.nowMs) ?? []
    guard collapses.contains(.reads), !search.finds(token, in: device.live) else {
      return try recover(device, player, standing)
    }
    let outline = Outline(
      names: device.live.outline(), knowledge: state.knowledge, nowMs: state.nowMs,
      witnessed: state.witnessed)
    let tree = trees[outline] ?? ReadTree()
    trees[outline] = tree
    if let known = tree.judgements(of: device.live) { return known }
    let judgements = try recover(device, player, standing)
    tree.insert(judgements, after: phone.box.reads?.places ?? [], of: device.live)
    return judgements
  }

  /// Starts the app twice on what is left, and twice more to see that it has come to rest.
  private func recover(
    _ device: StorageDevice, _ player: CasePlayer, _ standing: SimulatedPhone.Standing
  ) throws(PhoneHostError) -> [Judgement] {
    recoveredCount += 1
    try phone.goOn(from: standing, with: device)
    try player.goThrough([Scenario.Step(.launch(times: 1))])
    let first = player.judgements
    let (volume, digest) = phone.withDevice { device in
      let digest = device.liveDigest()
      return (device.live, digest)
    }
    let state = State(
      digest: digest, knowledge: player.knowledge, nowMs: phone.nowMs,
      witnessed: phone.witness?.stored)
    if collapses.contains(.endings), let ending = endings[state] {
      phone.box.reads?.note(ending.places, in: volume)
      return first + ending.judgements
    }
    let ending = try ending(of: player, after: first)
    endings[state] = Ending(
      judgements: ending, places: phone.box.reads?.touchedPlaces(in: volume) ?? [])
    endingCount += 1
    return first + ending
  }

  /// The second cold start, and those that show that the app has come to rest.
  private func ending(
    of player: CasePlayer, after first: [Judgement]
  ) throws(PhoneHostError) -> [Judgement] {
    let expected = collapses.contains(.repeats) ? player.repeatedLaunch() : nil
    let isSample = endingCount % Self.sampleInterval == 0
    if let expected, !isSample, !(first + expected).contains(where: \.verdict.isFailure) {
      return expected
    }
    try player.play([Scenario.Step(.launch(times: 1))])
    let ending = Array(player.judgements.dropFirst(first.count))
    guard expected == nil || expected == ending else {
      throw .refused("a cold start after one that changed nothing has shown something else")
    }
    return ending
  }

  /// Of so many endings that need not be played, one is.
  private static let sampleInterval = 64
}
