import Glibc
import Linux
package import Ports

/// The acknowledgement log as a file on this machine, beside the phone and never on it.
package final class FileAcknowledgements: AcknowledgementSink {
  private let file: Descriptor

  /// Opens the log to append to it, and makes it when it is missing.
  package init(path: String) throws(AcknowledgementFailure) {
    do {
      file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_APPEND, permissions: 0o600)
    } catch {
      throw AcknowledgementFailure(reason: "\(error)")
    }
  }

  /// One `write(2)`: the line survives the death of this process, though not of the machine.
  package func append(_ line: String) throws(AcknowledgementFailure) {
    do {
      try file.write("\(line)\n".utf8)
    } catch {
      throw AcknowledgementFailure(reason: "\(error)")
    }
  }
}
