package import Device

/// A request of the kernel that is still owed its answer.
///
/// `@unchecked Sendable`: used only while the mount's state is locked.
final class Unanswered: @unchecked Sendable {
  let call: Call
  let process: ProcessNumber
  private var reply: Reply?

  init(_ call: Call, by process: ProcessNumber, _ reply: consuming Reply) {
    self.call = call
    self.process = process
    self.reply = consume reply
  }

  /// The right to answer; `nil` when that was done before.
  func take() -> Reply? {
    reply.take()
  }

  /// Answers an error number, unless it has been answered.
  func refuse(_ code: Int32) {
    take()?.code(code)
  }

  func noteInterrupts(as key: Int) {
    if let own = reply.take() {
      own.noteInterrupts(as: key)
      reply = consume own
    }
  }

  /// Why an unanswered request waits.
  enum Reason: Sendable {
    /// The device parked it; `event` when an event of the operating system runs meanwhile.
    case parked(ParkedID)
    /// It has been applied; the answer comes later.
    case delayed(Performed)
  }
}

/// An operation that a fault holds: what people and reports see of it.
package struct HeldOperation: Equatable, Sendable {
  /// For ``MountedDevice/release(_:)``.
  package let key: Int
  package let process: ProcessNumber
  /// `rename /a/b`.
  package let words: String
}
