import Device
import Phone
import Ports
import Simulation
import Testing

@testable import Chaos

/// What it stands on that a recovery need not be played whose halves have been met, each with another
/// one.
@Suite struct `What a phone's service answers` {
  private struct Stage {
    let phone: SimulatedPhone
    let device: StorageDevice
    let standing: SimulatedPhone.Standing

    /// A phone with a session.
    init(_ kind: PhoneKind) throws {
      var setup = PhoneSetup()
      (setup.kind, setup.seed) = (kind, 3)
      phone = try SimulatedPhone(setup)
      let app = try phone.start(AppLaunch(store: "durable"), reaching: nil)
      guard case .result = app.perform(["sign-in"], atMs: phone.nowMs) else {
        throw PhoneHostError.refused("no sign-in")
      }
      app.end()
      device = phone.withDevice { $0 }
      standing = phone.standing
    }

    /// Starts the service on a device.
    func start(_ device: StorageDevice) throws(PhoneHostError) -> ServiceTranscript {
      try phone.goOn(from: standing, with: device)
      return ServiceTranscript(of: phone) { _ in false }
    }

    func beginning(_ image: Volume) -> ServiceMemory.Beginning {
      ServiceMemory.Beginning(
        names: phone.serviceFolders.map { image.outline(below: $0) }, nowMs: phone.nowMs,
        startCount: 1, token: [])
    }

    /// The device with one bit of a file of the service flipped, for some of all bytes.
    func flipped() throws -> [StorageDevice] {
      let live = device.live
      let paths = live.files(matching: PathPattern("*")).map(live.path).filter { path in
        phone.serviceFolders.contains { path.hasPrefix($0 + "/") }
      }
      return try paths.flatMap { path in
        let size = live.resolve(path).flatMap { live[$0]?.sizeBytes } ?? 0
        return try stride(from: 0, to: size, by: 211).map { byte in
          var device = device
          _ = try device.alter(.flipBit(path: path, byte: byte, bit: byte % 8))
          return device
        }
      }
    }
  }

  /// As a look of the lab asks, and then the same once more.
  private func requests(_ kind: PhoneKind) -> [String] {
    let request = kind == .ios ? KeychainRequest.list.text : KeystoreRequest.list.text
    return [request, request]
  }

  @Test(arguments: PhoneKind.allCases)
  func `is the same from memory as from a service that was started`(kind: PhoneKind) throws {
    let stage = try Stage(kind)
    let memory = ServiceMemory()
    var (startCount, differentCount) = (0, 0)
    let flipped = try stage.flipped()
    var first: [ServiceAnswer?] = []
    for device in [stage.device] + flipped {
      let dialogue = ServiceDialogue(stage.beginning(device.live), on: device.live, memory) {
        () throws(PhoneHostError) in
        startCount += 1
        return (stage.phone, try stage.start(device))
      }
      let known = try requests(kind).map { try dialogue.answer(to: $0) }
      let transcript = try stage.start(device)
      for request in requests(kind) { _ = stage.phone.exchange(request) }
      #expect(transcript.isApart)
      #expect(known == transcript.answers(transcript.exchanges).map(\.answer))
      if first.isEmpty { first = known }
      if known != first { differentCount += 1 }
    }
    #expect(differentCount > 0, "some flips show")
    #expect(startCount < flipped.count + 1, "others lie where nobody reads")
  }

  /// The twin: with fewer pages to look at, an answer would be taken for that of other files.
  @Test(arguments: PhoneKind.allCases)
  func `would be wrong if it followed from less than was read`(kind: PhoneKind) throws {
    let stage = try Stage(kind)
    let transcript = try stage.start(stage.device)
    _ = stage.phone.exchange(requests(kind)[0])
    let exchange = try #require(transcript.exchanges.first)
    #expect(!exchange.reads.isEmpty)
    let (whole, less) = (ReadTree<String>(), ReadTree<String>())
    whole.insert(exchange.text, after: exchange.reads, of: stage.device.live)
    less.insert(exchange.text, after: [], of: stage.device.live)
    var wrongCount = 0
    for device in try stage.flipped() {
      _ = try stage.start(device)
      let answer = stage.phone.exchange(requests(kind)[0])
      if let known = try whole.leaf(of: device.live) { #expect(known == answer) }
      if try less.leaf(of: device.live) != answer { wrongCount += 1 }
    }
    #expect(wrongCount > 0)
  }

  @Test(arguments: PhoneKind.allCases)
  func `is not known to follow from its own files once somebody else has touched them`(
    kind: PhoneKind
  ) throws {
    let stage = try Stage(kind)
    let transcript = try stage.start(stage.device)
    _ = stage.phone.exchange(requests(kind)[0])
    #expect(transcript.isApart)
    let others = DeviceFileSystem(stage.phone.box, process: ProcessNumber(99))
    _ = try others.list("/")
    #expect(transcript.isApart)
    _ = try others.list(stage.phone.serviceFolders[0])
    #expect(!transcript.isApart)
  }

  @Test(arguments: PhoneKind.allCases)
  func `is not known to follow from its own files once it has read others`(kind: PhoneKind) throws {
    let stage = try Stage(kind)
    let transcript = try stage.start(stage.device)
    let number = try #require(stage.phone.service).number
    let service = DeviceFileSystem(stage.phone.box, process: number)
    _ = try service.list(stage.phone.serviceFolders[0])
    #expect(transcript.isApart)
    _ = try service.list("/")
    #expect(!transcript.isApart)
  }
}

@Suite struct `A tree of what was looked at` {
  private func image(_ pages: [UInt8]) -> Volume {
    let box = DeviceBox(StorageDevice(DeviceSetup())) { 0 }
    let files = DeviceFileSystem(box, process: ProcessNumber(1))
    do {
      let file = try files.open("/a", .createNew, permissions: 0o600)
      for (index, byte) in pages.enumerated() {
        let bytes = [UInt8](repeating: byte, count: Inode.pageBytes)
        _ = try files.write(file, bytes, at: index * Inode.pageBytes)
      }
    } catch {
      Issue.record(error)
    }
    return box.device.live
  }

  private func places(_ pages: [Int]) -> [ReadTrace.Place] {
    pages.map { ReadTrace.Place(path: "/a", page: $0) }
  }

  private func answer(_ text: String) -> ServiceAnswer { ServiceAnswer(text: text, state: 0) }

  @Test func `tells images apart by the pages and the answers that counted`() throws {
    let tree = ReadTree<String>()
    tree.insert("old", after: places([0]), [("key?", answer("1"))], of: image([1, 1]))
    tree.insert("new", after: places([0, 1]), [("key?", answer("2"))], of: image([1, 1]))
    func leaf(_ pages: [UInt8], _ text: String) throws -> String? {
      try tree.leaf(of: image(pages)) { request in
        #expect(request == "key?")
        return answer(text)
      }
    }
    #expect(try leaf([1, 1], "1") == "old")
    #expect(try leaf([1, 2], "1") == "old", "page 1 was not read")
    #expect(try leaf([2, 1], "1") == nil)
    #expect(try leaf([1, 1], "2") == "new")
    #expect(try leaf([1, 2], "2") == nil, "with that answer, page 1 was read")
    #expect(try leaf([1, 1], "3") == nil)
    #expect(try tree.leaf(of: image([1, 1])) == nil, "nobody says what the service answers")
  }
}
