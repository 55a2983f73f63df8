import CEvent
import Glibc
import Linux

/// What the server knows of one connection that evhttp serves.
///
/// Holds a reference on the channel, so that the socket stays open when evhttp has done with it: a
/// socket that is closed with unread bytes resets the connection, and the client would not see the
/// reply that refused those bytes.
@safe final class ServerConnection {
  @safe enum Phase {
    /// For a request, or for its rest, or until the last reply is read.
    case waiting(sinceNs: Int64)
    /// The service has the request, or its reply waits for its time.
    case answering
    /// No reply will ever come; the request is kept until the client gives up.
    case silent(OpaquePointer)
    /// Evhttp has done with it.
    case ended(sinceNs: Int64)
  }

  let channel: OpaquePointer
  /// Has to live longer than the channel.
  private let loop: EventLoop
  var phase: Phase
  /// Whether bytes of a request that is not whole have come.
  var hasReceived = false
  /// Whether what is written now is a reply of the service.
  var isReplying = false
  /// Told the status with which a request was refused before it was whole.
  private let noteRefusal: (Int, ServerConnection) -> Void

  /// Most bytes of a client that the server takes before it has looked at them; evhttp collects a
  /// whole body there.
  private static let unreadMax = 1 << 21

  init?(
    _ loop: EventLoop, nowNs: Int64, noteRefusal: @escaping (Int, ServerConnection) -> Void
  ) {
    let options = Int32(BEV_OPT_CLOSE_ON_FREE.rawValue)
    guard let channel = unsafe bufferevent_socket_new(loop.base, -1, options) else { return nil }
    unsafe self.channel = channel
    self.loop = loop
    self.noteRefusal = noteRefusal
    phase = .waiting(sinceNs: nowNs)
    unsafe bufferevent_incref(channel)
    unsafe bufferevent_setwatermark(channel, Int16(EV_READ), 0, Self.unreadMax)
    unsafe evbuffer_add_cb(
      bufferevent_get_input(channel), noteBytes, Unmanaged.passUnretained(self).toOpaque())
    unsafe evbuffer_add_cb(
      bufferevent_get_output(channel), noteReply, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    unsafe bufferevent_decref(channel)
  }

  private var descriptor: Int32 { unsafe bufferevent_getfd(channel) }

  /// Whether evhttp has freed its end: that takes the callbacks away.
  var isFreed: Bool {
    var onEvent: bufferevent_event_cb?
    unsafe bufferevent_getcb(channel, nil, nil, &onEvent, nil)
    return unsafe onEvent == nil
  }

  var hasUnsentBytes: Bool {
    unsafe evbuffer_get_length(bufferevent_get_output(channel)) > 0
  }

  /// Whether the client has closed its end, or the connection broke.
  var isLeft: Bool {
    var polled = pollfd(fd: descriptor, events: cevent_peer_has_closed, revents: 0)
    return unsafe poll(&polled, 1, 0) > 0
  }

  /// Ends the connection; evhttp notices, and frees its end.
  func hangUp() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  /// Says that the request took too long, past evhttp, which has no word for it.
  func sayTooLate() {
    guard hasReceived, !hasUnsentBytes else { return }
    let text = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    var bytes = Array(text.utf8)
    _ = unsafe send(
      descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    noteRefusal(408, self)
  }

  /// Looks at what begins to be written: a line with an error's status, while no request is with the
  /// service, is evhttp's own refusal.
  fileprivate func noteWritten(_ head: ArraySlice<UInt8>) {
    let line = String(decoding: head, as: UTF8.self)
    guard !isReplying, line.hasPrefix("HTTP/1."), let status = Int(line.dropFirst(9)),
      status >= 400
    else { return }
    // What came is answered for; a client that stays gets no second refusal.
    hasReceived = false
    noteRefusal(status, self)
  }

  /// Notes that evhttp has freed its end. The channel would go on reading for nobody.
  func end(_ nowNs: Int64) {
    phase = .ended(sinceNs: nowNs)
    unsafe bufferevent_disable(channel, Int16(EV_READ | EV_WRITE))
  }

  /// Throws away what still comes; `true` when nothing will come any more.
  func drain() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    // A bound, so that one client that never stops holds nobody up.
    for _ in 0..<64 {
      let taken = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if taken <= 0 { return taken == 0 || errno != EAGAIN }
    }
    return false
  }
}

private func noteBytes(
  _: OpaquePointer?, _ change: UnsafePointer<evbuffer_cb_info>?, _ context: UnsafeMutableRawPointer?
) {
  guard let change = unsafe change, let context = unsafe context else { return }
  guard unsafe change.pointee.n_added > 0 else { return }
  unsafe Unmanaged<ServerConnection>.fromOpaque(context).takeUnretainedValue().hasReceived = true
}

private func noteReply(
  _ output: OpaquePointer?, _ change: UnsafePointer<evbuffer_cb_info>?,
  _ context: UnsafeMutableRawPointer?
) {
  guard let change = unsafe change, let context = unsafe context,
    unsafe change.pointee.n_added > 0
  else { return }
  var place = unsafe evbuffer_ptr()
  guard unsafe evbuffer_ptr_set(output, &place, change.pointee.orig_size, EVBUFFER_PTR_SET) == 0
  else { return }
  // `HTTP/1.1 413`
  var head = [UInt8](repeating: 0, count: 12)
  let count = unsafe evbuffer_copyout_from(output, &place, &head, head.count)
  unsafe Unmanaged<ServerConnection>.fromOpaque(context).takeUnretainedValue()
    .noteWritten(head.prefix(max(0, count)))
}
