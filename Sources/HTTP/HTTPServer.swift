import CEvent
import Glibc
package import Linux
package import Ports

/// Serves one service over HTTP/1.1 on loopback, with evhttp, on one thread.
///
/// The service sees whole, well-formed requests, one at a time. What evhttp does not do is done here:
/// a limit of time for a request as a whole, replies that come late or never, an end that lets a
/// client read the reply which refused it, and a stop that finishes what was begun.
@safe package final class HTTPServer {
  package struct Limits: Sendable {
    /// A larger body is refused with 413.
    package var bodyBytes = 1 << 20
    /// More than that before the body is refused with 400.
    package var headBytes = 64 << 10
    /// How long a client may take for a request, a pause before it included, and how long a
    /// stopping server waits for open requests.
    package var patience = Duration.seconds(10)

    package init() {}
  }

  /// What was asked, and what came of it, without anything secret: no query, no header, no body. Of a
  /// request that was refused before it was whole, method and path are `-`.
  package struct Exchange: Equatable, Sendable {
    package var method: String
    package var path: String
    /// `nil` when the client got no reply.
    package var status: Int?
    package var duration: Duration
  }

  /// Where it listens, also when any port would do.
  package let address: LoopbackAddress

  let loop: EventLoop
  let service: any HTTPService
  let limits: Limits
  let report: (Exchange) -> Void

  private let http: OpaquePointer
  /// What accepts; `nil` once it stops.
  private var socket: OpaquePointer?
  private var rounds: Event?

  /// By evhttp's channel.
  var connections: [OpaquePointer: ServerConnection] = unsafe [:]
  /// Replies that wait for their time, by evhttp's request.
  var lateReplies: [OpaquePointer: Event] = unsafe [:]
  /// When it began to stop.
  private(set) var stoppingSinceNs: Int64?
  private var isAbandoned = false

  /// Listens at once; clients are served while the loop turns.
  ///
  /// - Parameters:
  ///   - loop: The thread's loop.
  ///   - wished: Where to listen.
  ///   - service: What answers.
  ///   - limits: What a client may do.
  ///   - report: Told of each request that was answered or refused.
  /// - Throws: `SystemError`, with `EADDRINUSE` when the port is taken.
  package init(
    _ loop: EventLoop, at wished: LoopbackAddress, _ service: any HTTPService,
    _ limits: Limits = Limits(), report: @escaping (Exchange) -> Void = { _ in }
  ) throws(SystemError) {
    self.loop = loop
    self.service = service
    self.limits = limits
    self.report = report
    let (descriptor, address) = try ListeningSocket.open(wished)
    self.address = address
    let flags = LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC
    guard let http = unsafe evhttp_new(loop.base),
      let listener = unsafe evconnlistener_new(loop.base, nil, nil, flags, 0, descriptor),
      let socket = unsafe evhttp_bind_listener(http, listener)
    else { preconditionFailure("evhttp gave nothing: no memory") }
    unsafe self.http = http
    unsafe self.socket = socket
    unsafe evconnlistener_set_error_cb(listener, pauseListening)
    configure()
    rounds = Event(loop, after: .milliseconds(100), repeats: true) { [unowned self] in
      makeRound()
    }
  }

  deinit {
    // First: no callback runs after this.
    unsafe evhttp_free(http)
  }

  private func configure() {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe evhttp_set_bevcb(http, makeChannel, context)
    unsafe evhttp_set_gencb(http, takeRequest, context)
    unsafe evhttp_set_allowed_methods(http, Method.all)
    unsafe evhttp_set_max_body_size(http, limits.bodyBytes)
    unsafe evhttp_set_max_headers_size(http, limits.headBytes)
    unsafe evhttp_set_default_content_type(http, nil)
  }

  // MARK: - Its life

  /// Serves until a descriptor becomes readable; then finishes open requests, and returns.
  ///
  /// Readable again, it returns at once.
  ///
  /// - Parameters:
  ///   - stop: The descriptor, of a signal or a wake-up.
  ///   - takeWish: Makes it unreadable.
  package func run(until stop: Descriptor, takeWish: @escaping () -> Void) {
    let event = Event(loop, reading: stop.number) { [unowned self] in
      takeWish()
      finish()
    }
    withExtendedLifetime(event) {
      while !isFinished { loop.turn() }
    }
  }

  /// Takes no new clients, and lets go of those that have asked nothing. A second call gives up on
  /// the others, too.
  package func finish() {
    guard stoppingSinceNs == nil else {
      isAbandoned = true
      return
    }
    stoppingSinceNs = Clocks.monotonicNs
    unsafe evhttp_del_accept_socket(http, socket)
    unsafe socket = nil
  }

  /// Whether a server that stops has nothing left to do.
  package var isFinished: Bool {
    guard let since = stoppingSinceNs else { return false }
    return unsafe isAbandoned || connections.isEmpty
      || Clocks.monotonicNs - since > nanoseconds(limits.patience)
  }

  /// Accepts again after the machine had no descriptor left.
  func resumeListening() {
    guard let socket = unsafe socket else { return }
    unsafe evconnlistener_enable(evhttp_bound_socket_get_listener(socket))
  }
}

/// Whole nanoseconds of a limit.
func nanoseconds(_ duration: Duration) -> Int64 {
  Int64(duration / .nanoseconds(1))
}

// MARK: - Callbacks

/// `context` is borrowed: the server frees evhttp before it goes.
private func makeChannel(
  _: OpaquePointer?, _ context: UnsafeMutableRawPointer?
) -> OpaquePointer? {
  guard let context = unsafe context else { return nil }
  return unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().makeConnection()
}

private func takeRequest(_ request: OpaquePointer?, _ context: UnsafeMutableRawPointer?) {
  guard let request = unsafe request, let context = unsafe context else { return }
  unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().take(request)
}

/// Without a descriptor left, accepting would fail again and again; the next round tries again.
private func pauseListening(_ listener: OpaquePointer?, _: UnsafeMutableRawPointer?) {
  unsafe evconnlistener_disable(listener)
}
