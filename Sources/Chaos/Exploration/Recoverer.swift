import Device
import Phone
import Simulation

/// Has the app start on images, and keeps what that showed.
///
/// Two states of a phone are one when their images are equal by ``ImageDigest``, the same is known
/// of them, and it is the same time. Equal states are recovered once; those that differ only in bytes
/// that a recovery has not read are like the one it began on; and once two recoveries have come to
/// equal states, they go on as one.
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
    // The oracle looks for the token in every file, read or not.
    let token = player.token(atMs: state.nowMs) ?? []
    guard collapses.contains(.reads), !device.live.holds(token) else {
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
    let volume = phone.withDevice { $0.live }
    let state = State(
      digest: volume.digest(), knowledge: player.knowledge, nowMs: phone.nowMs,
      witnessed: phone.witness?.stored)
    if collapses.contains(.endings), let ending = endings[state] {
      phone.box.reads?.note(ending.places, in: volume)
      return first + ending.judgements
    }
    try player.play([Scenario.Step(.launch(times: 1))])
    let ending = Array(player.judgements.dropFirst(first.count))
    endings[state] = Ending(
      judgements: ending, places: phone.box.reads?.touchedPlaces(in: volume) ?? [])
    endingCount += 1
    return first + ending
  }
}
