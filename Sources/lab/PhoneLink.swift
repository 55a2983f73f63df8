import Chaos
import Glibc
import JSON
import Linux
import Mount
import Terminal

/// The way from a command to a mounted phone.
struct PhoneLink {
  static let on = Option(
    "on", .text("PHONE"),
    "which phone: its name or mount point; or which server: its address; not needed while there is "
      + "one")

  /// How long to wait for a mount that is just starting, in milliseconds.
  private static let patienceMs = 5_000

  let entry: Registry.Entry
  private let client: ControlClient

  /// Finds the phone, and waits a while for one that is starting.
  ///
  /// - Parameters:
  ///   - invocation: May name it with `--on`.
  ///   - name: Its name, when it is an argument.
  ///   - waits: Whether a phone that is not there at all may still come.
  /// - Throws: `Failure` that ends with 2, with 64 for a server's address.
  init(_ invocation: Invocation, named name: String? = nil, waits: Bool = true) throws {
    if name == nil, let url = ServerLink.url(invocation) {
      throw Failure.wrongUsage("--on: \(url) is a server, not a phone", help: "lab status")
    }
    let wanted = name ?? invocation.value(Self.on)
    let deadline = Clocks.monotonicNs + Int64(Self.patienceMs) * 1_000_000
    while true {
      do {
        let entry = try Registry().find(wanted)
        client = try ControlClient(at: entry.socket)
        self.entry = entry
        return
      } catch let error as MountError {
        if case .severalPhones = error {
          throw Failure.couldNotRun("\(error)", do: "add --on NAME")
        }
        guard case .noPhone = error, waits, Clocks.monotonicNs < deadline else {
          throw Self.failure(wanted, error)
        }
      } catch {
        guard Clocks.monotonicNs < deadline else {
          throw Failure.couldNotRun("the phone does not answer: \(error)", do: "lab status")
        }
      }
      // There is nothing to wait on before the phone has a place in the registry.
      usleep(20_000)
    }
  }

  /// A phone that has been found before, if it is there now.
  ///
  /// - Throws: `Failure` that ends with 2.
  init(again name: String) throws {
    do {
      entry = try Registry().find(name)
      client = try ControlClient(at: entry.socket)
    } catch let error as MountError {
      throw Self.failure(name, error)
    } catch {
      throw Failure.couldNotRun("the phone '\(name)' does not answer: \(error)")
    }
  }

  /// Waits until the phone has left the registry, at most a few seconds.
  func waitUntilGone() {
    let deadline = Clocks.monotonicNs + Int64(Self.patienceMs) * 1_000_000
    while Clocks.monotonicNs < deadline,
      let phones = try? Registry().list(), phones.contains(entry)
    {
      usleep(5_000)
    }
  }

  private static func failure(_ wanted: String?, _ error: MountError) -> Failure {
    guard case .noPhone = error else { return .couldNotRun("\(error)") }
    let which = wanted.map { "no phone '\($0)' is mounted" } ?? "no phone is mounted"
    return .couldNotRun(which, do: "lab mount my-phone &")
  }

  /// Sends a command and waits until it is carried out.
  ///
  /// - Throws: `Failure`: 2 when the phone refuses, 64 when it does not understand.
  func call(_ verb: PhoneVerb, passing passed: Descriptor? = nil) throws -> JSONValue {
    let text: String
    do {
      text = try client.call(verb.text, passing: passed)
    } catch {
      throw Failure.couldNotRun("the phone '\(entry.name)' is gone: \(error)", do: "lab status")
    }
    switch PhoneAnswer(text) {
    case .result(let value): return value
    case .refused(let reason): throw Failure.couldNotRun(reason)
    case .misunderstood(let reason):
      throw Failure.wrongUsage(reason, help: "lab list faults")
    }
  }
}
