import Device

/// Has the app start on images, and keeps what that showed.
///
/// Two states of a phone are one when their images are equal by ``ImageDigest``, the same is known
/// of them, and it is the same time. Equal states are recovered once; and once two recoveries have
/// come to equal states, they go on as one.
final class Recoverer {
  /// What a recovery follows from.
  struct State: Hashable {
    let digest: ImageDigest
    let knowledge: CasePlayer.Knowledge
    let nowMs: Int64
  }

  private let phone: SimulatedPhone
  private let launch: AppLaunch
  /// Whether equal states are one; without it each is recovered, and the outcomes must be the same.
  var collapses = true
  private(set) var images: [Exploration.Image] = []
  private var known: [State: Int] = [:]
  /// What followed a first cold start, by the state after it.
  private var endings: [State: [Judgement]] = [:]
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
    if collapses, let image = known[state] { return image }
    let judgements = try recover(makeDevice(), state.knowledge, standing)
    known[state] = images.count
    images.append(Exploration.Image(digest: state.digest, judgements: judgements))
    return images.count - 1
  }

  /// Starts the app twice on what is left, and twice more to see that it has come to rest.
  private func recover(
    _ device: StorageDevice, _ knowledge: CasePlayer.Knowledge,
    _ standing: SimulatedPhone.Standing
  ) throws(PhoneHostError) -> [Judgement] {
    try phone.goOn(from: standing, with: device)
    let player = CasePlayer(on: phone, launch: launch, from: knowledge)
    try player.goThrough([Scenario.Step(.launch(times: 1))])
    let first = player.judgements
    let state = State(
      digest: phone.withDevice { $0.live.digest() }, knowledge: player.knowledge,
      nowMs: phone.nowMs)
    if collapses, let ending = endings[state] { return first + ending }
    try player.play([Scenario.Step(.launch(times: 1))])
    let ending = Array(player.judgements.dropFirst(first.count))
    endings[state] = ending
    endingCount += 1
    return first + ending
  }
}
