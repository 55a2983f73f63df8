import Glibc
import Linux

/// The `fusermount3` process that mounts, and stays to unmount when this process is gone.
///
/// It watches a socket. libfuse would leave that socket open in every child of this process, which
/// would keep the mount; so it is made here, closed in children, and closed at the end.
final class UnmountHelper: Sendable {
  private let process: ChildProcess
  private let socket: UnixSocket
  private let complaints: Descriptor

  /// Mounts.
  ///
  /// - Returns: The helper, and the descriptor by which the kernel's requests come.
  static func mount(
    at path: String, options: String
  ) throws(MountError) -> (helper: UnmountHelper, connection: Descriptor) {
    let helper: UnmountHelper
    do {
      helper = try UnmountHelper(
        ["fusermount3", "-o", "auto_unmount,\(options)", "--", path])
    } catch {
      throw error.code == ENOENT ? .noHelper : .system(error)
    }
    guard let connection = (try? helper.socket.receiveDescriptor()) ?? nil else {
      helper.finish()
      throw .mountRefused(directory: path, reason: helper.complaint())
    }
    return (helper, connection)
  }

  /// Starts the helper. The other ends of its socket and pipe are closed here on return, so that its
  /// death is seen.
  private init(_ command: [String]) throws(SystemError) {
    let (ours, theirs) = try UnixSocket.pair()
    let pipe = try Descriptor.pipe()
    var launch = ChildProcess.Launch(command)
    launch.descriptors = [nil, nil, pipe.writing, theirs.descriptor]
    launch.environment = ["_FUSE_COMMFD=3", "PATH=\(Files.environment("PATH") ?? "/usr/bin:/bin")"]
    // It mounts, hands the connection over, and only then waits. Our end lies in its own queue until it
    // waits: it can hand over to a dead process, too, and goes on to unmount.
    try ours.send([], passing: [ours.descriptor])
    socket = ours
    complaints = pipe.reading
    process = try ChildProcess(launch)
  }

  /// Lets the helper go, after the mount has been detached.
  func finish() {
    socket.shutDown()
    _ = try? process.wait(timeoutMs: 5_000)
  }

  /// What `fusermount3` complained about, without its own name.
  private func complaint() -> String {
    guard (try? complaints.waitReadable(timeoutMs: 0)) == true,
      let bytes = try? complaints.read(count: 4096)
    else { return "fusermount3 gave no reason" }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first ?? ""
    let prefix = "fusermount3: "
    return String(line.hasPrefix(prefix) ? line.dropFirst(prefix.count) : line)
  }
}
