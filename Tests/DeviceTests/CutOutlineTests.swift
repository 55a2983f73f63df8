import Device
import Testing

/// What a walk shows of an image without making it, beside the image when it is made.
@Suite struct `An image that a walk has come to` {
  /// A device with a file that is replaced and one that is written, and one in a folder of its own.
  private func device() -> StorageDevice {
    var setup = DeviceSetup()
    setup.restProfile = .posixWeak
    var device = StorageDevice(setup)
    func call(_ request: Request) {
      let answer = device.perform(request, by: ProcessNumber(1), at: 0).answer
      if case .reply(.failure(let error)) = answer { Issue.record(error) }
    }
    func file(_ name: FileName, _ byte: UInt8, in folder: InodeID = .root) {
      call(.create(in: folder, name, Ownership(mode: 0o600)))
      guard let made = device.live.child(name, of: folder) else { return }
      call(.write(made, offset: 0, [UInt8](repeating: byte, count: 1_000)))
    }
    call(.makeDirectory(in: .root, "own", Ownership(mode: 0o700)))
    let own = device.live.resolve("/own") ?? .root
    file("a", 1)
    file("k", 1, in: own)
    device.settle()
    file("b", 2)
    call(.rename(from: .root, "b", to: .root, "a", .replacing))
    if let key = device.live.resolve("/own/k") {
      call(.write(key, offset: 0, [UInt8](repeating: 3, count: 1_000)))
    }
    return device
  }

  @Test func `shows names, files and the folder apart as the one that is made does`() throws {
    let device = device()
    var walk = CutWalk(device, countMax: 1 << 12, seed: 1)
    let (a, b, own) = (CutWalk.Place("/a"), CutWalk.Place("/b"), CutWalk.Place("/own"))
    // What is equal on one side must be equal on the other, and what differs must differ.
    var made: [[ImageDigest]: ImageDigest] = [:]
    var hashes: [UInt128: UInt128] = [:]
    var (imageCount, folderDigests, namings) = (0, Set<ImageDigest>(), Set<ImageDigest>())
    while walk.next() != nil {
      let image = device.crashState(walk.survivors).live
      guard let outline = walk.outline(apart: [own]) else { continue }
      imageCount += 1
      let folder = image.digest(below: "/own")
      let names = image.outline(without: ["/own"])
      folderDigests.insert(folder)
      namings.insert(names)
      for (shown, real) in [(outline.apart, folder), (outline.names, names)] {
        #expect(made[[shown], default: real] == real)
        made[[shown]] = real
      }
      for (place, path) in [(a, "/a"), (b, "/b")] {
        let real = image.resolve(path).flatMap { image.contentHash(of: $0) } ?? 0
        let shown = walk.hash(at: place)
        #expect(hashes[shown, default: real] == real, "\(path)")
        hashes[shown] = real
      }
    }
    #expect(imageCount > 8 && folderDigests.count > 2 && namings.count > 1)
    #expect(Set(made.values).count == made.count && Set(hashes.values).count == hashes.count)
  }

  /// The twin: the hash of a folder does not stand for what lies outside of it.
  @Test func `shows by its folder nothing of the other files`() throws {
    let device = device()
    var walk = CutWalk(device, countMax: 1 << 12, seed: 1)
    var whole: [ImageDigest: Set<ImageDigest>] = [:]
    while let digest = walk.next() {
      guard let outline = walk.outline(apart: [CutWalk.Place("/own")]) else { continue }
      whole[outline.apart, default: []].insert(digest)
    }
    #expect(whole.values.contains { $0.count > 1 })
  }

  @Test func `is not shown where a file has two names`() throws {
    var device = device()
    let file = try #require(device.live.resolve("/a"))
    let request = Request.link(file, in: .root, "c")
    _ = device.perform(request, by: ProcessNumber(1), at: 0)
    device.settle()
    var walk = CutWalk(device, countMax: 4, seed: 1)
    _ = walk.next()
    #expect(walk.outline(apart: []) == nil)
  }
}
