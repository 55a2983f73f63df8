import Glibc
import Linux
package import Ports

/// Announces logical points to the lab by writing to the `.lab/points` file of a mounted phone.
///
/// The write returns when the lab has carried out what it had planned for the point. Where the
/// file is missing (the directory is no mounted phone) points go nowhere.
package final class MountTracePoints: TracePoint {
  private let file: Descriptor?

  package init(root: String) {
    do {
      file = try Descriptor.open("\(root)/.lab/points", O_WRONLY)
    } catch {
      file = nil
    }
  }

  package func reach(_ point: LogicalPoint) {
    do {
      // One write(2) is one announcement.
      try file?.write("\(point.rawValue)\n".utf8)
    } catch {
      // The phone lost its power under us; the next call on a file finds out.
      return
    }
  }
}
