package import Ports

/// A console that passes everything on and remembers the warnings.
package final class WarningRecorder: Console {
  private let target: any Console
  private var warnings: [String] = []

  package init(_ target: any Console) { self.target = target }

  package func warn(_ text: String) {
    warnings.append(text)
    target.warn(text)
  }

  package func error(_ text: String) { target.error(text) }

  /// Hands over what was warned of since the last call.
  func take() -> [String] {
    defer { warnings = [] }
    return warnings
  }
}
