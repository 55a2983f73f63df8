import Glibc
import Linux
import Mount

/// A phone of the lab's own, mounted out of sight for as long as cases run on it.
///
/// Whatever a killed lab left of one is cleaned up when the next one starts.
package final class Lane: Sendable {
  package let host: PhoneHost
  private let registration: Registration

  /// Mounts it.
  ///
  /// - Parameter programs: Where the phone's programs are.
  /// - Throws: ``PhoneHostError``; nothing is mounted or left behind then.
  package init(programs: PhoneHost.Programs) throws(PhoneHostError) {
    do {
      let mounts = try RuntimeFolder.mounts.checked()
      let registry = try Registry(at: RuntimeFolder.lanes.checked())
      Self.removeEmptyFolders(in: mounts, registry)
      let directory = "\(mounts)/\(getpid())-\(Clocks.monotonicNs)"
      let registration = try registry.register(directory: directory)
      self.registration = registration
      var setup = PhoneSetup()
      setup.seed = 0
      let runtime = registration.socketPath.split(separator: "/").dropLast()
      do {
        host = try PhoneHost(
          at: directory, runtimeDirectory: "/" + runtime.joined(separator: "/"),
          programs: programs, setup: setup)
      } catch {
        registration.remove()
        throw error
      }
    } catch let error as PhoneHostError {
      throw error
    } catch let error as MountError {
      throw .mount(error)
    } catch {
      throw .refused("\(error)")
    }
  }

  package func close() {
    host.shutDown()
    registration.remove()
  }

  /// Mount points of labs that were killed; one that is in use cannot be removed. A lab that lives may
  /// be about to mount on its own.
  private static func removeEmptyFolders(in mounts: String, _ registry: Registry) {
    _ = registry.list()
    for name in (try? Files.list(mounts)) ?? [] {
      let owner = name.split(separator: "-").first.flatMap { Int32($0) }
      if let owner, ProcessTable.isAlive(owner) { continue }
      Files.removeIfEmpty("\(mounts)/\(name)")
    }
  }
}
