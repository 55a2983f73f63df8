import Device
import Simulation

/// Knows what recoveries came to, by what they read of the images that they began on.
///
/// Each node names a page to look at; where its content leads is the next node, and a leaf has the
/// judgements. An image that comes to a leaf agrees with the one that was recovered in all that was
/// read then, so its recovery would go the same way.
final class ReadTree {
  private var place: ReadTrace.Place?
  private var next: [UInt128: ReadTree] = [:]
  private var judgements: [Judgement]?

  /// What a recovery of an image would show; `nil` when none was alike.
  func judgements(of image: Volume) -> [Judgement]? {
    var reader = PageReader(image)
    var node = self
    while let place = node.place {
      guard let following = node.next[reader.contentHash(of: place)] else { return nil }
      node = following
    }
    return node.judgements
  }

  /// Notes what the recovery of an image has shown that is not known yet.
  ///
  /// Pages that other recoveries made one look at are looked at first; one more to agree in does no
  /// harm.
  func insert(_ judgements: [Judgement], after reads: [ReadTrace.Place], of image: Volume) {
    var reader = PageReader(image)
    var node = self
    var passed: Set<ReadTrace.Place> = []
    while let place = node.place {
      passed.insert(place)
      node = node.child(reader.contentHash(of: place))
    }
    for place in reads where !passed.contains(place) {
      node.place = place
      node = node.child(reader.contentHash(of: place))
    }
    node.judgements = judgements
  }

  private func child(_ hash: UInt128) -> ReadTree {
    if let child = next[hash] { return child }
    let child = ReadTree()
    next[hash] = child
    return child
  }
}

/// Hashes pages of an image. Those of one file mostly follow each other, so it is looked up once.
private struct PageReader {
  private let image: Volume
  private var path = "/"
  private var file: InodeID?

  init(_ image: Volume) {
    self.image = image
  }

  mutating func contentHash(of place: ReadTrace.Place) -> UInt128 {
    if place.path != path { (path, file) = (place.path, image.resolve(place.path)) }
    return file.map { image.contentHash(of: $0, page: place.page) } ?? 0
  }
}
