import Ports

/// What the app prints, as whole lines on standard error, each in one `write(2)`.
package final class StandardErrorConsole: Console {
  package init() {}

  package func warn(_ text: String) {
    put("warning: \(text)\n")
  }

  package func error(_ text: String) {
    put("error: \(text)\n")
  }

  /// A closed pipe is no reason to change what the app does: the line is lost.
  private func put(_ line: String) {
    StandardStream.error.write(line)
  }
}
