package import Device

/// Notes which stored bytes somebody has read who began on an image: what came after can depend on no
/// others.
///
/// The contract:
/// - a page of a file counts as read when a request reads a byte of it that the image had: before it
///   was written as a whole, or cut off, by a request that was noted;
/// - names, kinds, lengths, extended attributes and link targets are not noted: take them as read.
///
/// What SQLite and the service keep in memory was read before, so it is noted, too.
package struct ReadTrace {
  /// A page of a file.
  package struct Place: Hashable, Sendable {
    package let path: String
    package let page: Int

    package init(path: String, page: Int) {
      self.path = path
      self.page = page
    }
  }

  private struct Page: Hashable {
    let file: InodeID
    let index: Int
  }

  private let image: Volume
  private var reads: [Page] = []
  private var known: Set<Page> = []
  private var rewritten: Set<Page> = []
  /// From this page on, nothing of the image is left in a file.
  private var bounds: [InodeID: Int] = [:]
  private var touched: Set<Page> = []

  /// Begins on an image, of which nothing was read yet.
  package init(of image: Volume) {
    self.image = image
  }

  /// The pages of the image that were read, in the order of the first time, at their paths in it.
  package var places: [Place] {
    Self.places(of: reads, in: image)
  }

  /// The pages of another volume of the same inodes that were read or written, at their paths in it.
  package func touchedPlaces(in volume: Volume) -> [Place] {
    let pages = touched.filter { volume[$0.file] != nil }
    return Self.places(
      of: pages.sorted { ($0.file, $0.index) < ($1.file, $1.index) }, in: volume)
  }

  private static func places(of pages: [Page], in volume: Volume) -> [Place] {
    var paths: [InodeID: String] = [:]
    return pages.map { page in
      let path = paths[page.file] ?? volume.path(of: page.file)
      paths[page.file] = path
      return Place(path: path, page: page.index)
    }
  }

  /// Notes a request that was performed.
  mutating func note(_ request: Request, _ response: Response) {
    switch (request, response) {
    case (.read(let file, let offset, _), .data(let bytes)):
      for index in Self.pages(of: offset..<offset + bytes.count) {
        noteRead(Page(file: file, index: index))
      }
    case (.write(let file, let offset, _), .written(let count)):
      noteWrite(of: offset..<offset + count, in: file)
    case (.setAttributes(let file, let change), _):
      guard let size = change.sizeBytes else { return }
      let bound = (size + Inode.pageBytes - 1) / Inode.pageBytes
      bounds[file] = min(bound, bounds[file] ?? bound)
    default: break
    }
  }

  /// Notes that pages are read that a volume of the same inodes has at these places.
  package mutating func note(_ places: [Place], in volume: Volume) {
    for place in places {
      guard let file = volume.resolve(place.path) else { continue }
      noteRead(Page(file: file, index: place.page))
    }
  }

  /// Notes what was read by somebody who went on from here with a copy of the device.
  package mutating func noteReads(of other: ReadTrace) {
    for page in other.reads where known.insert(page).inserted { reads.append(page) }
    touched.formUnion(other.touched)
  }

  private mutating func noteRead(_ page: Page) {
    touched.insert(page)
    guard image[page.file] != nil, !rewritten.contains(page),
      page.index < bounds[page.file] ?? .max, known.insert(page).inserted
    else { return }
    reads.append(page)
  }

  private mutating func noteWrite(of range: Range<Int>, in file: InodeID) {
    for index in Self.pages(of: range) {
      let page = Page(file: file, index: index)
      touched.insert(page)
      let start = index * Inode.pageBytes
      if range.lowerBound <= start, start + Inode.pageBytes <= range.upperBound {
        rewritten.insert(page)
      }
    }
  }

  private static func pages(of range: Range<Int>) -> Range<Int> {
    range.isEmpty
      ? 0..<0
      : range.lowerBound / Inode.pageBytes..<(range.upperBound - 1) / Inode.pageBytes + 1
  }
}
