/// Where inodes of a device are, as far as somebody has asked. What changes a name says which of them
/// to forget.
struct PlaceMemory: Sendable {
  /// A path, and the index of the domain that holds it.
  struct Place: Sendable {
    let path: String
    let domain: Int
  }

  private var places: [InodeID: Place] = [:]
  /// The one that was asked for last, and most often is the next one too.
  private var last: (id: InodeID, place: Place)?

  subscript(_ id: InodeID) -> Place? {
    mutating get {
      if let last, last.id == id { return last.place }
      guard let place = places[id] else { return nil }
      last = (id, place)
      return place
    }
    set {
      places[id] = newValue
      last = newValue.map { (id, $0) }
    }
  }

  /// - Returns: Whether it was known where the inode is.
  @discardableResult
  mutating func forget(_ id: InodeID) -> Bool {
    if last?.id == id { last = nil }
    return places.removeValue(forKey: id) != nil
  }
}
