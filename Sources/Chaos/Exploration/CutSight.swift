import Device
import Simulation

/// An image that a power cut leaves, looked at file by file without being made.
struct CutSight: LookedAt, PlaceReader {
  let outline: CutWalk.Outline
  private let walk: CutWalk

  /// Looks at the image under a walk; fails where that shows too little without being made.
  ///
  /// - Parameters:
  ///   - walk: The walk.
  ///   - folders: Those of the service.
  init?(under walk: CutWalk, apart folders: [String]) {
    guard let outline = walk.outline(apart: folders.map { CutWalk.Place($0) }) else { return nil }
    self.outline = outline
    self.walk = walk
  }

  var reader: CutSight { self }

  func contentHash(of place: ReadTrace.Place) -> UInt128 {
    walk.hash(at: CutWalk.Place(place.path))
  }

  /// A file as a whole.
  static func place(_ path: String) -> ReadTrace.Place { ReadTrace.Place(path: path, page: 0) }
}
