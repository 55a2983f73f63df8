package import Device

/// Notes which stored bytes somebody has read who began on an image: what came after can depend on no
/// others.
///
/// The contract:
/// - a page of a file counts as read when a request reads a byte of it that the image had: before it
///   was written as a whole, or cut off, by a request that was noted;
/// - the label of a file, which is its length, its extended attributes or where a link leads to, counts
///   as read when a request is about the file or answers with what it is like;
/// - names and kinds are not noted: take them as read;
/// - ``isApart`` as long as the phone's service and everybody else have kept to files of their own:
///   neither can have seen then what the other one stores, but in what they said to each other.
///
/// What SQLite and the service keep in memory was read before, so it is noted, too.
package struct ReadTrace {
  /// A page of a file, or its label.
  package struct Place: Hashable, Sendable {
    package let path: String
    package let page: Int

    package init(path: String, page: Int) {
      self.path = path
      self.page = page
    }

    package var isLabel: Bool { page == ReadTrace.label }
  }

  /// Stands for the label in place of a page.
  private static let label = -1

  /// Whose reads are meant.
  package enum Reader {
    case service
    case others
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
  /// Those whose label needs no second look.
  private var labelled: Set<InodeID> = []
  /// Whose file the last request was about, and whose request it was: most often the next one's, too.
  private var last: (file: InodeID, isOfService: Bool)?
  /// The folders of the service and all that is in them, and the directories on the way there.
  private var ownInodes: Set<InodeID> = []
  private var way: Set<InodeID> = []
  /// Whether nobody has touched what is the service's, and the service nothing else.
  package private(set) var isApart = true

  /// Begins on an image, of which nothing was read yet.
  ///
  /// - Parameters:
  ///   - image: What is stored.
  ///   - folders: Those that are the service's alone.
  package init(of image: Volume, apart folders: [String] = []) {
    self.image = image
    var inside = folders.compactMap { image.resolve($0) }
    var outside = inside.compactMap { image[$0]?.parentDirectory }
    while let id = outside.popLast() {
      way.insert(id)
      outside += [image[id]?.parentDirectory].compactMap(\.self)
    }
    while let id = inside.popLast() {
      ownInodes.insert(id)
      inside += image.list(id).map(\.inode)
    }
  }

  /// How many pages of the image were read.
  package var count: Int { reads.count }

  /// The pages of the image that were read, in the order of the first time, at their paths in it.
  package var places: [Place] {
    Self.places(of: reads, in: image)
  }

  /// The same of what one side has read since there were so many.
  package func places(readBy reader: Reader, from start: Int = 0) -> [Place] {
    let pages = reads[start...].filter { ownInodes.contains($0.file) == (reader == .service) }
    return Self.places(of: pages, in: image)
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

  /// The files that one side has touched, at their paths in the image.
  package func files(touchedBy reader: Reader) -> [String] {
    places(readBy: reader).filter(\.isLabel).map(\.path)
  }

  /// Notes a request that was answered.
  mutating func note(
    _ request: Request, _ result: Result<Response, DeviceError>, isOfService: Bool
  ) {
    noteAccess(request, result, isOfService)
    guard case .success(let response) = result else { return }
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
    case (.create, .attributes(let made)), (.makeDirectory, .attributes(let made)),
      (.makeNode, .attributes(let made)), (.symbolicLink, .attributes(let made)):
      if isOfService { ownInodes.insert(made.inode) }
    default: break
    }
  }

  private mutating func noteAccess(
    _ request: Request, _ result: Result<Response, DeviceError>, _ isOfService: Bool
  ) {
    switch request {
    case .read(let file, _, _), .write(let file, _, _):
      if let last, last == (file, isOfService) { return }
      last = (file, isOfService)
    default: break
    }
    noteOwner(of: request, result, isOfService)
    noteLabels(of: request, result)
  }

  private mutating func noteLabels(
    of request: Request, _ result: Result<Response, DeviceError>
  ) {
    let (first, second) = request.inodes
    noteLabel(of: first)
    if let second { noteLabel(of: second) }
    if case .success(.attributes(let found)) = result { noteLabel(of: found.inode) }
  }

  /// A directory shows nothing but its kind.
  private mutating func noteLabel(of id: InodeID) {
    guard labelled.insert(id).inserted, image[id].map({ $0.kind != .directory }) ?? false else {
      return
    }
    noteRead(Page(file: id, index: Self.label))
  }

  private func isOwn(_ id: InodeID) -> Bool { ownInodes.contains(id) }

  /// The service may find its way, which nobody changes. Whoever asks how much room there is asks about
  /// everybody's files.
  private mutating func noteOwner(
    of request: Request, _ result: Result<Response, DeviceError>, _ isOfService: Bool
  ) {
    let (first, second) = request.inodes
    switch request {
    case .point: return
    case .statistics: isApart = false
    case .lookUp where isOfService && way.contains(first):
      guard case .success(.attributes(let found)) = result,
        isOwn(found.inode) || way.contains(found.inode)
      else { return isApart = false }
    case .attributes where isOfService && way.contains(first): return
    case .lookUp, .attributes, .list: if isOwn(first) != isOfService { isApart = false }
    default:
      for id in [first, second ?? first] where isOwn(id) != isOfService || way.contains(id) {
        isApart = false
      }
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
    labelled.formUnion(other.labelled)
    isApart = isApart && other.isApart
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
