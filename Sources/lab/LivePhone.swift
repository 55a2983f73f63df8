import Chaos
import Device
import Glibc
import JSON
import Linux
import Mount
import Phone
import Terminal

/// A mounted phone with its place in the registry and its control socket.
final class LivePhone {
  let host: PhoneHost
  let server: PhoneServer
  private let registration: Registration
  private let control: ControlSocket
  private let keeper: PhoneKeeper?
  /// Held as long as the phone lives. Closed after the keeper: closing any descriptor of a file
  /// drops SQLite's own locks on it.
  private let imageLock: Descriptor?

  var name: String { registration.name }

  /// - Throws: `MountError` or `PhoneHostError`; nothing is mounted or left behind then.
  init(
    at directory: String, _ registry: Registry, _ programs: PhoneHost.Programs,
    _ wanted: PhoneSetup, isChosen: Bool, image: String?, servesExtendedAttributes: Bool
  ) throws {
    var setup = wanted
    keeper = try image.map { path in try PhoneKeeper(at: path) }
    imageLock = try image.map(Self.lock)
    let kept = try keeper?.load(setup)
    if let kind = kept?.phone.kind {
      guard kind == setup.kind || !isChosen else {
        throw Failure.couldNotRun(
          "the image holds an \(kind.rawValue) phone, not \(setup.kind.rawValue)",
          do: "leave --phone out, or name another image")
      }
      setup.kind = kind
    }
    let absolute = try Self.absolute(directory)
    if let outer = registry.list().first(where: { absolute.hasPrefix($0.directory + "/") }) {
      throw Failure.couldNotRun(
        "\(directory) lies inside the phone '\(outer.name)'", do: "choose a folder outside")
    }
    registration = try registry.register(directory: absolute)
    guard Self.isAlone(registration, at: absolute, registry) else {
      registration.remove()
      throw MountError.alreadyMounted(absolute)
    }
    let runtime = registration.socketPath.split(separator: "/").dropLast()
    let serving = Locked<PhoneServer?>(nil)
    var options = MountOptions()
    options.servesExtendedAttributes = servesExtendedAttributes
    options.status = {
      let status = serving.withLock { $0 }?.status
      return JSONWriter.text(of: status ?? .object(JSONObject()), .pretty) + "\n"
    }
    options.operations = { serving.withLock { $0 }?.operations ?? [] }
    do {
      host = try PhoneHost(
        at: directory, runtimeDirectory: "/" + runtime.joined(separator: "/"), programs: programs,
        setup: setup, kept: kept, options: options)
    } catch {
      registration.remove()
      throw error
    }
    if host.mounted.madeDirectory { registration.noteMadeDirectory() }
    let server = PhoneServer(host, name: registration.name)
    self.server = server
    serving.withLock { $0 = server }
    do {
      control = try ControlSocket(at: registration.socketPath) { message, passed in
        server.answer(message, passing: passed)
      }
    } catch {
      host.shutDown()
      registration.remove()
      throw error
    }
  }

  /// Saves the phone to its image file, if it has one and anything happened since the last time.
  ///
  /// - Returns: Why it could not be saved; the file then holds the phone of the last time.
  func saveProblem() -> String? {
    do {
      try keeper?.save(host)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Ends the phone: unmounts, saves it, tells whoever asked for it how that went, and takes it out
  /// of the registry.
  ///
  /// - Throws: `Failure` when it could not be saved.
  func end() throws {
    // Saved after the processes have ended, so that nothing of theirs is missing.
    host.shutDown()
    let problem = saveProblem()
    server.conclude(problem)
    close()
    if let problem { throw Failure.couldNotRun("the phone was not saved: \(problem)") }
  }

  /// Unmounts and takes the phone out of the registry. A second call does nothing.
  func close() {
    control.close()
    host.shutDown()
    registration.remove()
  }

  /// How many armed faults wait in vain.
  var neverFiredCount: Int {
    host.mounted.withDevice { device in
      device.faults.entries.count { $0.isArmed && $0.firedCount == 0 }
    }
  }

  /// Two phones on one image would overwrite each other's saves.
  private static func lock(image: String) throws -> Descriptor {
    let file = try Descriptor.open(image, O_RDONLY)
    do {
      try file.lockFile()
    } catch {
      throw Failure.couldNotRun("another phone uses the image \(image)", do: "lab status")
    }
    return file
  }

  /// Whether no other phone is mounted, or just being mounted, on the same folder: FUSE would stack
  /// the second one on the first. Of two that begin at once, the one with the lower name goes on.
  private static func isAlone(
    _ own: Registration, at directory: String, _ registry: Registry
  ) -> Bool {
    !registry.list().contains { $0.directory == directory && $0.name < own.name }
  }

  /// The path that the mount point will have; its last folder may be missing still.
  private static func absolute(_ directory: String) throws -> String {
    if Files.exists(directory) { return try Files.absolutePath(directory) }
    let parts = directory.split(separator: "/", omittingEmptySubsequences: true)
    guard let last = parts.last else { return "/" }
    let parent = parts.dropLast().joined(separator: "/")
    let folder = directory.hasPrefix("/") ? "/\(parent)" : parent.isEmpty ? "." : parent
    guard Files.exists(folder) else { throw MountError.parentMissing(directory: folder) }
    let absolute = try Files.absolutePath(folder)
    return absolute == "/" ? "/\(last)" : "\(absolute)/\(last)"
  }
}
