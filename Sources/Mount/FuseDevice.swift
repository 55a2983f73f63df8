import CFuse
import Glibc
import Linux

/// The door to the kernel's FUSE.
package enum FuseDevice {
  /// Linux's `misc` major number with FUSE's minor one, as `stat(2)` gives them together.
  private static let number: UInt64 = 10 << 8 | 229

  /// The version of libfuse that is loaded.
  package static var libraryVersion: String {
    unsafe fuse_pkgversion().map { unsafe String(cString: $0) } ?? "unknown"
  }

  /// Finds out whether phones can be mounted here. A container may have something else under the
  /// name: runtimes mask devices with `/dev/null`.
  ///
  /// - Throws: ``MountError/noFuse`` or ``MountError/fuseRefused(reason:)``.
  package static func check() throws(MountError) {
    let path = "/dev/fuse"
    do {
      let isReal = try Files.status(path).representedDevice == number
      guard isReal else { throw MountError.noFuse }
      _ = try Descriptor.open(path, O_RDWR)
    } catch let error as SystemError {
      if error.code == ENOENT || error.code == ENODEV || error.code == ENXIO { throw .noFuse }
      throw .fuseRefused(reason: error.description)
    } catch {
      throw .noFuse
    }
  }
}
