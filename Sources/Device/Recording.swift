/// The requests that changed a device, in order and with all that they brought: enough to carry them
/// out again on another one, such as one with another persistence profile.
package struct Recording: Sendable {
  package struct Step: Sendable {
    /// `nil` for one that takes no number, such as the release of a file.
    package let number: OperationNumber?
    package let request: Request
    package let process: ProcessNumber
    package let timeNs: Int64
  }

  package private(set) var steps: [Step] = []

  package init() {}

  mutating func add(_ step: Step) {
    if step.request.isNumbered || step.request.countsHandles { steps.append(step) }
  }
}

extension Request {
  /// Whether it opens or closes something that may have lost its name.
  fileprivate var countsHandles: Bool {
    switch self {
    case .open, .release: true
    default: false
    }
  }
}

extension StorageDevice {
  /// Carries out a step of a recording.
  ///
  /// - Returns: Whether it did what it did when it was recorded: it was applied, under the same number.
  /// - Complexity: That of the request.
  package mutating func replay(_ step: Recording.Step) -> Bool {
    let performed = perform(step.request, by: step.process, at: step.timeNs)
    guard case .reply(.success) = performed.answer else { return false }
    return performed.number == step.number
  }
}
