import Device

/// One request of the kernel, decoded: what the device is to do, and how the answer is shaped.
struct Call: Sendable {
  private(set) var request: Request
  let shape: Shape
  let caller: Caller
  /// The state whose inodes the request names; `nil` if it names the root at most.
  let epoch: UInt64?
  /// Whether the request names inodes of two different states.
  let mixesEpochs: Bool
  /// How many bytes of the same write have been taken before these.
  private(set) var writtenBefore = 0

  init(
    _ request: Request, _ shape: Shape, _ caller: Caller, at node: KernelNode? = nil,
    and other: KernelNode? = nil
  ) {
    self.request = request
    self.shape = shape
    self.caller = caller
    epoch = node?.epoch ?? other?.epoch
    mixesEpochs = node?.epoch != nil && other?.epoch != nil && node?.epoch != other?.epoch
  }

  /// How many bytes of a write lie before a page that it reaches, if it begins inside another one.
  ///
  /// Whether a kernel asks for both parts at once depends on what of the file it has cached, and the
  /// log shall not.
  var headBytes: Int? {
    guard case .write(_, let offset, let bytes) = request else { return nil }
    let room = Inode.pageBytes - offset % Inode.pageBytes
    return room < min(Inode.pageBytes, bytes.count) ? room : nil
  }

  /// A write in two, after so many bytes.
  func split(after room: Int) -> (head: Call, tail: Call) {
    guard case .write(let inode, let offset, let bytes) = request else {
      preconditionFailure("only a write has two parts")
    }
    var (head, tail) = (self, self)
    head.request = .write(inode, offset: offset, Array(bytes[..<room]))
    tail.request = .write(inode, offset: offset + room, Array(bytes[room...]))
    tail.writtenBefore = room
    return (head, tail)
  }

  /// Who calls, as FUSE says it.
  struct Caller: Sendable {
    /// A thread's number; 0 for the kernel itself.
    let thread: Int32
    let user: UInt32
    let group: UInt32
  }

  /// Which of FUSE's answers a success becomes.
  enum Shape: Sendable, Equatable {
    case none
    case entry
    case attributes
    case data
    case target
    case written
    case opened(KernelNode)
    case created
    case openedDirectory(KernelNode)
    /// Rows of a listing from this place on, in a buffer of so many bytes.
    case rows(handle: UInt64, from: Int, bytes: Int)
    case statistics
    case value(bytesMax: Int)
    case names(bytesMax: Int)
    /// A point was written to the virtual folder with so many bytes.
    case point(bytes: Int)
  }
}

extension Performed {
  /// The answer of what was carried out at once and has no consequence; `nil` for anything else.
  var plainResponse: Response? {
    guard case .reply(.success(let response)) = answer, consequence == nil, delayMs == 0,
      stale.isEmpty
    else { return nil }
    return response
  }
}
