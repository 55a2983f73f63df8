import Glibc
package import Ports

/// Announces logical points to the lab by writing to the `.lab/points` file of a mounted phone.
///
/// The write returns when the lab has carried out what it had planned for the point. Where the
/// file is missing (the directory is no mounted phone) points go nowhere.
package final class MountTracePoints: TracePoint {
  private let descriptor: Int32?

  package init(root: String) {
    let opened = unsafe open("\(root)/.lab/points", O_WRONLY | O_CLOEXEC)
    descriptor = opened < 0 ? nil : opened
  }

  deinit {
    if let descriptor { _ = close(descriptor) }
  }

  package func reach(_ point: LogicalPoint) {
    guard let descriptor else { return }
    // One write(2) is one announcement. An error means that the phone lost its power under us:
    // the next call on a file finds out.
    _ = FullWrite.write(Array("\(point.rawValue)\n".utf8), to: descriptor)
  }
}
