import Ports

/// Six boxes for six digits: what a code of any other length never gets through.
package struct CodeEntry: Equatable, Sendable {
  package static let length = 6

  package private(set) var digits = ""

  package init() {}

  package var isComplete: Bool { digits.count == Self.length }

  /// Takes over what the person typed or pasted: its digits, as far as there are boxes.
  ///
  /// - Returns: Whether this filled the last box.
  package mutating func enter(_ text: String) -> Bool {
    let before = digits
    digits = String(text.unicodeScalars.filter { ("0"..."9").contains($0) }.prefix(Self.length))
    return isComplete && digits != before
  }
}

/// The form around the boxes: submits by itself on the sixth digit, or by its button, and never twice
/// at once.
package final class CodeForm {
  package private(set) var entry = CodeEntry()
  package private(set) var isSubmitting = false
  private let context: FlowContext
  private let submit: (String) async -> Void

  init(_ context: FlowContext, submit: @escaping (String) async -> Void) {
    self.context = context
    self.submit = submit
  }

  /// What the boxes hold after a keystroke, or after pasting.
  package func type(_ text: String) {
    if entry.enter(text) { pressButton() }
  }

  package func pressButton() {
    guard entry.isComplete, !isSubmitting else { return }
    isSubmitting = true
    context.spawner.spawn("submit code") { [self] in
      await submit(entry.digits)
      isSubmitting = false
    }
  }
}
