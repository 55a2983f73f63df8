import CFuse
import Device
import Glibc

/// The one answer that a request of the kernel is owed.
///
/// Each method that answers consumes it. One that is dropped answers EIO, so that no process hangs,
/// and asserts. The result says whether the kernel took the answer: it does not when the caller has
/// been interrupted, and then counts nothing as looked up or opened.
@safe struct Reply: ~Copyable {
  private let request: fuse_req_t

  init(_ request: fuse_req_t) {
    unsafe self.request = unsafe request
  }

  deinit {
    unsafe fuse_reply_err(request, EIO)
    assertionFailure("a request was dropped without an answer")
  }

  var caller: Call.Caller {
    guard let context = unsafe fuse_req_ctx(request) else {
      return Call.Caller(thread: 0, user: 0, group: 0)
    }
    return unsafe Call.Caller(
      thread: context.pointee.pid, user: context.pointee.uid, group: context.pointee.gid)
  }

  /// Has `key` told to the mount when the caller gets a signal while it waits.
  func noteInterrupts(as key: Int) {
    unsafe fuse_req_interrupt_func(request, onInterrupt, UnsafeMutableRawPointer(bitPattern: key))
  }

  /// Answers an error number; 0 is plain success.
  @discardableResult
  consuming func code(_ code: Int32) -> Bool {
    let sent = unsafe fuse_reply_err(request, code)
    discard self
    return sent == 0
  }

  /// Answers nothing, as a forget wants it.
  consuming func nothing() {
    unsafe fuse_reply_none(request)
    discard self
  }

  consuming func entry(_ entry: fuse_entry_param) -> Bool {
    let sent = unsafe withUnsafePointer(to: entry) { unsafe fuse_reply_entry(request, $0) }
    discard self
    return sent == 0
  }

  consuming func created(_ entry: fuse_entry_param, _ file: fuse_file_info) -> Bool {
    let sent = unsafe withUnsafePointer(to: entry) { entry in
      unsafe withUnsafePointer(to: file) { unsafe fuse_reply_create(request, entry, $0) }
    }
    discard self
    return sent == 0
  }

  consuming func opened(_ file: fuse_file_info) -> Bool {
    let sent = unsafe withUnsafePointer(to: file) { unsafe fuse_reply_open(request, $0) }
    discard self
    return sent == 0
  }

  @discardableResult
  consuming func attributes(_ attributes: stat, seconds: Double) -> Bool {
    let sent = unsafe withUnsafePointer(to: attributes) {
      unsafe fuse_reply_attr(request, $0, seconds)
    }
    discard self
    return sent == 0
  }

  @discardableResult
  consuming func bytes(_ bytes: [UInt8]) -> Bool {
    let sent = unsafe bytes.withUnsafeBytes { buffer in
      unsafe fuse_reply_buf(
        request, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    discard self
    return sent == 0
  }

  @discardableResult
  consuming func target(_ bytes: [UInt8]) -> Bool {
    let sent = unsafe (bytes + [0]).withUnsafeBytes { buffer in
      unsafe fuse_reply_readlink(request, buffer.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
    discard self
    return sent == 0
  }

  @discardableResult
  consuming func written(_ count: Int) -> Bool {
    let sent = unsafe fuse_reply_write(request, count)
    discard self
    return sent == 0
  }

  @discardableResult
  consuming func statistics(_ statistics: statvfs) -> Bool {
    let sent = unsafe withUnsafePointer(to: statistics) { unsafe fuse_reply_statfs(request, $0) }
    discard self
    return sent == 0
  }

  /// Answers an extended attribute, or only its length when the caller gave no room.
  @discardableResult
  consuming func value(_ bytes: [UInt8], bytesMax: Int) -> Bool {
    if bytesMax == 0 {
      let sent = unsafe fuse_reply_xattr(request, bytes.count)
      discard self
      return sent == 0
    }
    return bytes.count > bytesMax ? code(ERANGE) : self.bytes(bytes)
  }

  /// Writes directory rows as the kernel wants them, as many as fit into `bytesMax`.
  ///
  /// - Parameters:
  ///   - rows: What is left of the listing.
  ///   - first: The place of the first row; a row's offset is the place after it.
  ///   - bytesMax: The room that the kernel has.
  /// - Returns: Whether the kernel took the answer.
  @discardableResult
  consuming func rows(
    _ rows: ArraySlice<(name: [UInt8], attributes: stat)>, first: Int, bytesMax: Int
  ) -> Bool {
    var buffer = [CChar](repeating: 0, count: bytesMax)
    var used = 0
    for (place, row) in rows.enumerated() {
      let needed = unsafe (row.name + [0]).withUnsafeBytes { name in
        unsafe withUnsafePointer(to: row.attributes) { attributes in
          unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            unsafe fuse_add_direntry(
              request, buffer.baseAddress?.advanced(by: used), bytesMax - used,
              name.baseAddress?.assumingMemoryBound(to: CChar.self), attributes,
              first + place + 1)
          }
        }
      }
      if used + needed > bytesMax { break }
      used += needed
    }
    let sent = unsafe buffer.withUnsafeBufferPointer {
      unsafe fuse_reply_buf(request, $0.baseAddress, used)
    }
    discard self
    return sent == 0
  }
}
