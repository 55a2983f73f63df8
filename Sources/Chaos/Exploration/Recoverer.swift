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
///
/// The halves are mostly read apart, by the service and by the app; ``ServiceMemory`` says why a
/// recovery is known once the app has been seen to start on its files with those answers of the service.
/// One in 64 that are known so is played all the same.
final class Recoverer {
  /// What a recovery follows from.
  struct State: Hashable {
    let digest: ImageDigest
    let knowledge: CasePlayer.Knowledge
    let nowMs: Int64
    /// What a witness of the native modules remembers, where there is one.
    var witnessed: [Half: Set<String>]?

    var oracle: Oracle { knowledge.oracle }
  }

  /// What a recovery follows from beside the contents of files, and beside the answers of the service
  /// where it is apart. A ``ReadTree`` tells those apart. The oracle judges what is seen, and changes
  /// nothing of it; the generation says which token is looked for.
  private struct Outline: Hashable {
    let names: ImageDigest
    let generation: Int
    let nowMs: Int64
    let witnessed: [Half: Set<String>]?
    /// The service's files are left out, and the app was launched so often.
    var launchCountApart: Int?
    /// Files are looked at as a whole.
    var isByFile = false
  }

  /// What two cold starts have shown, for whatever oracle.
  private struct Showing {
    var sightings: [Sighting]
    var isUnrest = false

    func judgements(by oracle: Oracle) -> [Judgement] {
      var oracle = oracle
      return sightings.flatMap { oracle.judge($0) } + (isUnrest ? [CasePlayer.unrest] : [])
    }
  }

  /// What followed a first cold start, and all pages that may have had a part in it.
  private struct Ending {
    let showing: Showing
    let places: [ReadTrace.Place]
    /// What the service was asked, when its answers followed from its own files.
    let exchanges: [ServiceTranscript.Exchange]?
  }

  /// What followed from an image.
  private struct Known {
    let showing: Showing
    /// What the service was asked, and which other files were touched, when nothing else counted.
    var exchanges: [(request: String, answer: ServiceAnswer)]?
    var files: [String] = []
  }

  private let phone: SimulatedPhone
  private let launch: AppLaunch
  private let search = TokenSearch()
  var collapses = Collapses.all
  private(set) var images: [Exploration.Image] = []
  private var known: [State: Int] = [:]
  private var trees: [Outline: ReadTree<Known>] = [:]
  private let memory = ServiceMemory()
  /// What followed a first cold start, by the state after it.
  private var endings: [State: Ending] = [:]
  /// How many images had to be recovered.
  private(set) var recoveredCount = 0
  /// How many recoveries were followed to their end.
  private(set) var endingCount = 0
  /// How many were known by what the app read and the service answered.
  private var partedCount = 0
  /// Files without a token, by the token and their hashes.
  private var withoutToken: [[UInt8]: Set<UInt128>] = [:]

  init(on phone: SimulatedPhone, _ launch: AppLaunch) {
    self.phone = phone
    self.launch = launch
  }

  /// The position in ``images`` of what two cold starts on an image show.
  ///
  /// - Parameters:
  ///   - state: What the recovery follows from.
  ///   - standing: What the phone is beside its device.
  ///   - cut: A walk that stands at the image, and the device whose power it cuts.
  ///   - makeDevice: Makes the device, when nothing is known of the image.
  /// - Returns: The position.
  /// - Throws: ``PhoneHostError`` when the lab could not have it recovered.
  func image(
    _ state: State, _ standing: SimulatedPhone.Standing,
    under cut: (walk: CutWalk, device: StorageDevice)? = nil, of makeDevice: () -> StorageDevice
  ) throws(PhoneHostError) -> Int {
    if collapses.contains(.images), let image = known[state] { return image }
    let showing = try self.showing(state, standing, under: cut, of: makeDevice)
    known[state] = images.count
    images.append(
      Exploration.Image(digest: state.digest, judgements: showing.judgements(by: state.oracle)))
    return images.count - 1
  }

  /// What recovering an image shows, as far as its files are known as they are, or as it is read.
  private func showing(
    _ state: State, _ standing: SimulatedPhone.Standing,
    under cut: (walk: CutWalk, device: StorageDevice)?, of makeDevice: () -> StorageDevice
  ) throws(PhoneHostError) -> Showing {
    let filed = cut.flatMap { self.filed($0.walk, $0.device, state, standing) }
    // The oracle looks for the token in every file, read or not.
    let token = token(in: state)
    let isSought = filed.map { isWithout(token, $0.image) } ?? false
    if let filed, isSought,
      let known = try filed.tree.leaf(of: filed.image, asking: filed.service.answer)
    {
      try sample(known, state, standing, of: makeDevice)
      return known.showing
    }
    let device = makeDevice()
    guard collapses.contains(.reads), isSought || !search.finds(token, in: device.live) else {
      return try recover(device, state, standing).known.showing
    }
    let known = try self.known(device, state, standing)
    if let filed, let exchanges = known.exchanges {
      withoutToken[token, default: []].formUnion(filed.image.outline.files)
      try memory.note(exchanges, after: [], filed.beginning, on: filed.image)
      filed.tree.insert(
        known, after: known.files.map(CutSight.place), exchanges, of: filed.image)
    }
    return known.showing
  }

  /// What followed from an image that agrees with this one in all that was read, or else from this one.
  private func known(
    _ device: StorageDevice, _ state: State, _ standing: SimulatedPhone.Standing
  ) throws(PhoneHostError) -> Known {
    let apart = apart(device, state, standing)
    if let apart, let known = try apart.tree.leaf(of: device.live, asking: apart.service.answer) {
      try sample(known, state, standing) { device }
      return known
    }
    let whole = tree(
      Outline(
        names: device.live.outline(), generation: state.knowledge.generation, nowMs: state.nowMs,
        witnessed: state.witnessed))
    if let known = try whole.leaf(of: device.live) { return known }
    let (known, transcript) = try recover(device, state, standing)
    if let apart, let exchanges = known.exchanges {
      try memory.note(
        transcript.answers(transcript.exchanges), after: transcript.exchanges.map(\.reads),
        apart.beginning, on: device.live)
      apart.tree.insert(
        known, after: phone.box.reads?.places(readBy: .others) ?? [], exchanges, of: device.live)
    } else {
      whole.insert(known, after: phone.box.reads?.places ?? [], of: device.live)
    }
    return known
  }

  /// Sees for some of the recoveries that are known that they go so.
  private func sample(
    _ known: Known, _ state: State, _ standing: SimulatedPhone.Standing,
    of makeDevice: () -> StorageDevice
  ) throws(PhoneHostError) {
    partedCount += 1
    guard partedCount % Self.sampleInterval == 0 else { return }
    let played = try recover(makeDevice(), state, standing).known.showing
    guard played.judgements(by: state.oracle) == known.showing.judgements(by: state.oracle) else {
      throw .refused("a recovery of which all that was read is known has shown something else")
    }
  }

  private func tree(_ outline: Outline) -> ReadTree<Known> {
    let tree = trees[outline] ?? ReadTree()
    trees[outline] = tree
    return tree
  }

  private func token(in state: State) -> [UInt8] {
    search.token(of: launch, generation: state.knowledge.generation, issuedAtMs: state.nowMs) ?? []
  }

  // MARK: - The halves apart

  /// An image whose service is asked, and whose other files are read.
  private struct Apart<Image: LookedAt> {
    let image: Image
    let beginning: ServiceMemory.Beginning
    let service: ServiceDialogue<Image>
    let tree: ReadTree<Known>
  }

  /// Far more than any recovery writes.
  private static let roomBytes = 16 << 20

  /// Whether nothing but what they say to each other can lead from one half to the other: not a fault
  /// that counts operations, nor a lack of room. A module that is watched has losses that are counted
  /// whenever it has them.
  private func isApart(_ device: StorageDevice, _ state: State) -> Bool {
    collapses.contains(.answers) && state.witnessed == nil && device.faults.isQuiet
      && device.sealedPrefixes.isEmpty && device.freeBytesMin >= Self.roomBytes
  }

  /// The halves of an image that was made, page by page.
  private func apart(
    _ device: StorageDevice, _ state: State, _ standing: SimulatedPhone.Standing
  ) -> Apart<Volume>? {
    guard isApart(device, state) else { return nil }
    let folders = standing.state.phone.serviceFolders
    let beginning = ServiceMemory.Beginning(
      names: folders.map { device.live.outline(below: $0) }, nowMs: state.nowMs,
      startCount: standing.state.serviceStartCount, token: token(in: state))
    let service = ServiceDialogue(beginning, on: device.live, memory) {
      [unowned self] () throws(PhoneHostError) in
      (phone, try start(on: device, state, standing))
    }
    let outline = Outline(
      names: device.live.outline(without: folders), generation: state.knowledge.generation,
      nowMs: state.nowMs, witnessed: nil, launchCountApart: standing.state.launchCount)
    return Apart(
      image: device.live, beginning: beginning, service: service, tree: tree(outline))
  }

  /// The halves of an image that was not made, file by file.
  private func filed(
    _ walk: CutWalk, _ device: StorageDevice, _ state: State, _ standing: SimulatedPhone.Standing
  ) -> Apart<CutSight>? {
    guard collapses.contains(.reads), isApart(device, state),
      let sight = CutSight(under: walk, apart: standing.state.phone.serviceFolders)
    else { return nil }
    let beginning = ServiceMemory.Beginning(
      names: [sight.outline.apart], isByFile: true, nowMs: state.nowMs,
      startCount: standing.state.serviceStartCount, token: token(in: state))
    let outline = Outline(
      names: sight.outline.names, generation: state.knowledge.generation, nowMs: state.nowMs,
      witnessed: nil, launchCountApart: standing.state.launchCount, isByFile: true)
    return Apart(
      image: sight, beginning: beginning,
      service: ServiceDialogue(beginning, on: sight, memory), tree: tree(outline))
  }

  /// Whether each file was sought through.
  private func isWithout(_ token: [UInt8], _ sight: CutSight) -> Bool {
    guard let known = withoutToken[token] else { return false }
    return sight.outline.files.allSatisfy(known.contains)
  }

  /// Has the phone go on with a device.
  private func start(
    on device: StorageDevice, _ state: State, _ standing: SimulatedPhone.Standing
  ) throws(PhoneHostError) -> ServiceTranscript {
    try phone.goOn(from: standing, with: device)
    let token = token(in: state)
    return ServiceTranscript(of: phone) { [search] in search.finds(token, in: $0) }
  }

  // MARK: - Recoveries

  /// Starts the app twice on what is left, and twice more to see that it has come to rest.
  private func recover(
    _ device: StorageDevice, _ state: State, _ standing: SimulatedPhone.Standing
  ) throws(PhoneHostError) -> (known: Known, transcript: ServiceTranscript) {
    recoveredCount += 1
    let transcript = try start(on: device, state, standing)
    let player = CasePlayer(on: phone, launch: launch, from: state.knowledge)
    player.search = search
    try player.goThrough([Scenario.Step(.launch(times: 1))])
    let (first, exchanges) = (player.sightings, transcript.exchanges)
    let (volume, digest) = phone.withDevice { device in
      let digest = device.liveDigest()
      return (device.live, digest)
    }
    let after = State(
      digest: digest, knowledge: player.knowledge, nowMs: phone.nowMs,
      witnessed: phone.witness?.stored)
    let ending: Ending
    if collapses.contains(.endings), let known = endings[after] {
      phone.box.reads?.note(known.places, in: volume)
      ending = known
    } else {
      let (showing, isRepeat) = try self.ending(of: player, state)
      ending = Ending(
        showing: showing, places: phone.box.reads?.touchedPlaces(in: volume) ?? [],
        exchanges: isRepeat ? [] : transcript.exchanges(from: exchanges.count))
      endings[after] = ending
      endingCount += 1
    }
    let rest = transcript.isApart ? ending.exchanges : nil
    let known = Known(
      showing: Showing(
        sightings: first + ending.showing.sightings, isUnrest: ending.showing.isUnrest),
      exchanges: rest.map { transcript.answers(exchanges + $0) },
      files: phone.box.reads?.files(touchedBy: .others) ?? [])
    return (known, transcript)
  }

  /// The second cold start, and those that show that the app has come to rest.
  ///
  /// - Returns: What they have shown, and whether that was known beforehand.
  private func ending(
    of player: CasePlayer, _ state: State
  ) throws(PhoneHostError) -> (showing: Showing, isRepeat: Bool) {
    let first = player.sightings
    let repeated = collapses.contains(.repeats) ? player.repeatedLaunch : nil
    let expected = repeated.map {
      Showing(sightings: first + [$0]).judgements(by: state.oracle)
    }
    let isSample = endingCount % Self.sampleInterval == 0
    if let repeated, let expected, !isSample, !expected.contains(where: \.verdict.isFailure) {
      return (Showing(sightings: [repeated]), true)
    }
    try player.play([Scenario.Step(.launch(times: 1))])
    guard expected == nil || expected == player.judgements else {
      throw .refused("a cold start after one that changed nothing has shown something else")
    }
    let isUnrest = player.judgements.contains(CasePlayer.unrest)
    let showing = Showing(
      sightings: Array(player.sightings.dropFirst(first.count)), isUnrest: isUnrest)
    let seen = Showing(sightings: player.sightings, isUnrest: isUnrest)
    guard seen.judgements(by: state.oracle) == player.judgements else {
      throw .refused("what two cold starts have shown is judged in two ways")
    }
    return (showing, repeated != nil)
  }

  /// Of so many endings that need not be played, and of so many recoveries that are known by what was
  /// read and answered, one is.
  private static let sampleInterval = 64
}
