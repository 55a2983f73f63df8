import Device
import Simulation

/// Knows what followed from images, by what was looked at of them.
///
/// Each node names something to look at: a page of the image, or the service's answer to its next
/// request. Where that leads is the next node, and a leaf has what followed. An image that comes to a
/// leaf agrees with the one that the leaf was made for in all that was looked at then, so it would go
/// the same way.
final class ReadTree<Leaf> {
  /// Has the service answer a request that follows those before; `nil` when that is not to be known.
  typealias Ask = (_ request: String) throws(PhoneHostError) -> ServiceAnswer?

  private enum Look {
    case page(ReadTrace.Place)
    case service(request: String)
  }

  private enum Sight: Hashable {
    case content(UInt128)
    case answer(ServiceAnswer)
  }

  private var look: Look?
  private var next: [Sight: ReadTree] = [:]
  private var leaf: Leaf?

  /// What follows from an image; `nil` when none was alike.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - ask: Asks its service.
  /// - Returns: The leaf.
  /// - Throws: What `ask` throws.
  func leaf(
    of image: some LookedAt, asking ask: Ask = { _ in nil }
  ) throws(PhoneHostError) -> Leaf? {
    var reader = image.reader
    var node = self
    while let look = node.look {
      let sight: Sight
      switch look {
      case .page(let place): sight = .content(reader.contentHash(of: place))
      case .service(let request):
        guard let answer = try ask(request) else { return nil }
        sight = .answer(answer)
      }
      guard let following = node.next[sight] else { return nil }
      node = following
    }
    return node.leaf
  }

  /// Notes what followed from an image for which nothing is known yet.
  ///
  /// Pages that others made one look at are looked at first; one more to agree in does no harm. What the
  /// service is asked next follows from what was looked at before.
  func insert(
    _ leaf: Leaf, after reads: [ReadTrace.Place],
    _ exchanges: [(request: String, answer: ServiceAnswer)] = [], of image: some LookedAt
  ) {
    var reader = image.reader
    var node = self
    var passed: Set<ReadTrace.Place> = []
    var left = exchanges[...]
    while let look = node.look {
      switch look {
      case .page(let place):
        passed.insert(place)
        node = node.child(.content(reader.contentHash(of: place)))
      case .service(let request):
        let exchange = left.popFirst()
        precondition(exchange?.request == request, "what is asked follows from what was read")
        guard let exchange else { return }
        node = node.child(.answer(exchange.answer))
      }
    }
    for place in reads where !passed.contains(place) {
      node.look = .page(place)
      node = node.child(.content(reader.contentHash(of: place)))
    }
    for exchange in left {
      node.look = .service(request: exchange.request)
      node = node.child(.answer(exchange.answer))
    }
    node.leaf = leaf
  }

  private func child(_ sight: Sight) -> ReadTree {
    if let child = next[sight] { return child }
    let child = ReadTree()
    next[sight] = child
    return child
  }
}

/// An image whose places can be told apart from those of others.
protocol LookedAt {
  associatedtype Reader: PlaceReader
  var reader: Reader { get }
}

protocol PlaceReader {
  mutating func contentHash(of place: ReadTrace.Place) -> UInt128
}

extension Volume: LookedAt {
  var reader: PageReader { PageReader(self) }
}

/// Hashes pages of an image. Those of one file mostly follow each other, so it is looked up once.
struct PageReader: PlaceReader {
  private let image: Volume
  private var path = "/"
  private var file: InodeID?

  fileprivate init(_ image: Volume) {
    self.image = image
  }

  mutating func contentHash(of place: ReadTrace.Place) -> UInt128 {
    if place.path != path { (path, file) = (place.path, image.resolve(place.path)) }
    guard let file else { return 0 }
    return place.isLabel
      ? image.labelHash(of: file) : image.contentHash(of: file, page: place.page)
  }
}
