import Testing

@testable import Device

@Suite struct `The digest of an image` {
  private func digest(_ build: (inout Driver) throws -> Void) throws -> ImageDigest {
    var driver = Driver()
    try build(&driver)
    return driver.device.live.digest()
  }

  @Test func `says nothing of how an image came about`() throws {
    let direct = try digest { driver in
      try driver.makeDirectory("/d")
      try driver.create("/d/a", bytes(1, 5_000))
      try driver.create("/b", [0, 0, 7])
    }
    let roundabout = try digest { driver in
      try driver.create("/b", [9, 9, 9, 9])
      try driver.create("/a", bytes(1, 100))
      try driver.write("/a", bytes(1, 4_900), at: 100)
      try driver.makeDirectory("/d")
      try driver.rename("/a", "/d/a")
      try driver.truncate("/b", to: 0)
      try driver.write("/b", [7], at: 2)
    }
    #expect(direct == roundabout)
  }

  @Test func `differs for each thing that a reader sees`() throws {
    let images: [(inout Driver) throws -> Void] = [
      { _ in },
      { try $0.create("/a") },
      { try $0.create("/b") },
      { try $0.makeDirectory("/a") },
      { try $0.symbolicLink("/a", to: "b") },
      { try $0.symbolicLink("/a", to: "c") },
      { try $0.create("/a", [0]) },
      { try $0.create("/a", [1]) },
      { try $0.create("/a", [0, 1]) },
      { try $0.create("/a", bytes(0, 4_096) + [1]) },
      {
        try $0.create("/a", [1])
        try $0.create("/b", [2])
      },
      {
        try $0.create("/a", [2])
        try $0.create("/b", [1])
      },
      {
        try $0.makeDirectory("/d")
        try $0.create("/d/a", [1])
      },
      {
        try $0.makeDirectory("/d")
        try $0.create("/a", [1])
      },
      {
        let file = try $0.create("/a")
        try $0.call(.setExtendedAttribute(file, name: "k", [1], .any))
      },
      {
        let file = try $0.create("/a")
        try $0.call(.setExtendedAttribute(file, name: "k", [2], .any))
      },
    ]
    let digests = try images.map(digest)
    for (index, digest) in digests.enumerated() {
      #expect(digests.firstIndex(of: digest) == index, "image \(index)")
    }
  }

  @Test func `is that of the pieces of a file, wherever it is cut`() throws {
    var draws = Draws(seed: 3)
    let content = (0..<9_000).map { _ in UInt8(draws.below(256)) }
    let whole = ImageHash.content(content[...], at: 77)
    for cut in [0, 1, 7, 8, 3_999, 4_019, 4_096, 8_999, 9_000] {
      let pieces =
        ImageHash.content(content[..<cut], at: 77)
        &+ ImageHash.content(content[cut...], at: 77 + cut)
      #expect(pieces == whole, "cut at \(cut)")
    }
    #expect(ImageHash.content(content[...], at: 78) != whole)
  }
}
