import CEvent

/// Something that a loop waits for: that a time passes, or that a descriptor can be read.
///
/// Gone with the value, also in the middle of its own action.
@safe final class Event {
  private final class Action {
    let run: () -> Void

    init(_ run: @escaping () -> Void) { self.run = run }
  }

  private let loop: EventLoop
  private let action: Action
  private let pointer: OpaquePointer

  /// A time from now, once or again and again.
  convenience init(
    _ loop: EventLoop, after time: Duration, repeats: Bool = false, _ run: @escaping () -> Void
  ) {
    self.init(loop, -1, repeats ? EV_PERSIST : 0, run)
    var interval = timeval(time)
    // A time counts from now, not from the beginning of the turn.
    unsafe event_base_update_cache_time(loop.base)
    unsafe event_add(pointer, &interval)
  }

  /// Each time that a descriptor becomes readable.
  convenience init(_ loop: EventLoop, reading descriptor: Int32, _ run: @escaping () -> Void) {
    self.init(loop, descriptor, EV_READ | EV_PERSIST, run)
    unsafe event_add(pointer, nil)
  }

  private init(
    _ loop: EventLoop, _ descriptor: Int32, _ what: Int32, _ run: @escaping () -> Void
  ) {
    self.loop = loop
    action = Action(run)
    let context = unsafe Unmanaged.passUnretained(action).toOpaque()
    let made = unsafe event_new(
      loop.base, descriptor, Int16(truncatingIfNeeded: what), runAction, context)
    guard let made = unsafe made else { preconditionFailure("event_new gave nothing: no memory") }
    unsafe pointer = made
  }

  deinit {
    unsafe event_free(pointer)
  }

  /// `context` is borrowed: the event holds the action.
  fileprivate static func fire(_ context: UnsafeMutableRawPointer) {
    unsafe Unmanaged<Action>.fromOpaque(context).takeUnretainedValue().run()
  }
}

private func runAction(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  unsafe Event.fire(context)
}

extension timeval {
  init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
  }
}
