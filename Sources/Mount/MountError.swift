package import Linux

/// Why a phone cannot be mounted, found or changed, with the next step in the same line.
package enum MountError: Error, Equatable, Sendable {
  /// The machine has no `/dev/fuse`.
  case noFuse
  /// `/dev/fuse` is there, but this user may not open it.
  case fuseRefused(reason: String)
  /// `fusermount3` is missing; only it can unmount for a lab that was killed.
  case noHelper
  /// The kernel or `fusermount3` refused the mount.
  case mountRefused(directory: String, reason: String)
  case parentMissing(directory: String)
  case notDirectory(String)
  case notEmpty(String)
  /// Something is mounted there already.
  case alreadyMounted(String)
  /// No mounted phone has this name or directory.
  case noPhone(String)
  /// More than one phone is mounted, and none was named.
  case severalPhones([String])
  /// A folder for what lives as long as a process cannot be used.
  case folderRefused(String, reason: String, remedy: String)
  /// A killed process is still there after the time allowed.
  case processRemains([String])
  /// The mount is gone: unmounted by hand, or by ``MountedDevice/unmount()``.
  case ended(String)
  case system(SystemError)
}

extension MountError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noFuse:
      "cannot mount: /dev/fuse is missing.  do: sudo modprobe fuse   (in a container: lab doctor)"
    case .fuseRefused(let reason): "/dev/fuse cannot be opened (\(reason)): run as a user who may"
    case .noHelper: "no fusermount3 in PATH: install Debian's package fuse3"
    case .mountRefused(let directory, let reason): "cannot mount at \(directory): \(reason)"
    case .parentMissing(let directory): "no such folder: \(directory); create it first"
    case .notDirectory(let path): "not a folder: \(path); choose another mount point"
    case .notEmpty(let path): "folder not empty: \(path); choose an empty or a new one"
    case .alreadyMounted(let path): "already mounted: \(path); unmount it or choose another folder"
    case .noPhone(let name): "no phone mounted as \(name): start one with `lab mount`"
    case .severalPhones(let names):
      "several phones are mounted: name one of \(names.joined(separator: ", "))"
    case .folderRefused(let path, let reason, let remedy): "\(path) \(reason).  do: \(remedy)"
    case .processRemains(let names):
      "killed, but still there: \(names.joined(separator: ", ")); unmount and look at them"
    case .ended(let path): "no longer mounted: \(path)"
    case .system(let error): error.description
    }
  }
}

/// Turns a failed system call into a ``MountError``.
func mounting<Result>(
  _ body: () throws(SystemError) -> Result
) throws(MountError) -> Result {
  do { return try body() } catch { throw .system(error) }
}
