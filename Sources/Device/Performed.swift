/// What the front end has to do for one request: wait as ``Performed/delayMs`` says, answer, and carry
/// out the ``Performed/consequence``.
package struct Performed: Sendable {
  /// `nil` for reads and handle calls.
  package var number: OperationNumber?

  package var answer: Answer

  /// The armed faults that this request set off.
  package var fired: [FaultID] = []

  package var consequence: Consequence?

  /// Real or virtual milliseconds to wait before the answer.
  package var delayMs: Int = 0

  /// What a kernel's caches may now show wrongly, because a fault changed or withheld something.
  package var stale = Stale()

  package enum Answer: Sendable {
    case reply(Result<Response, DeviceError>)

    /// Nothing was applied. The front end parks the request and later calls
    /// ``StorageDevice/resume(_:at:)`` to have it applied, or answers EIO when the process is gone.
    case parked(ParkedID)
  }

  /// What belongs to an answer, and never holds it back. A signal may go out just before: the caller
  /// sleeps in its call until the answer comes, and dies on the way back.
  package enum Consequence: Equatable, Sendable {
    /// End the process that asked, with SIGKILL.
    case kill(ProcessNumber)
    /// End every process, then go to the crash state that ``StorageDevice/crashState(_:)`` gives.
    case powerCut(Survivors)
    /// Run an event of the operating system while the request is parked.
    case event(FaultID)
  }
}

/// Inodes and names whose cached form no longer matches the device.
package struct Stale: Equatable, Sendable {
  package var inodes: [InodeID] = []
  package var names: [Name] = []

  package struct Name: Equatable, Sendable {
    package let directory: InodeID
    package let name: FileName
  }

  package init(inodes: [InodeID] = [], names: [Name] = []) {
    self.inodes = inodes
    self.names = names
  }

  package var isEmpty: Bool { inodes.isEmpty && names.isEmpty }
}

/// The number of a parked request.
package struct ParkedID: Hashable, Sendable {
  package let number: Int

  package init(_ number: Int) {
    self.number = number
  }
}
