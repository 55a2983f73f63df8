package import Device
import Glibc
package import Linux

/// The processes that belong to a mounted phone, and how they are ended.
///
/// Only registered processes and their descendants are ever signalled, and only through pidfds.
package final class Supervisor: Sendable {
  package enum Role: String, Sendable {
    case app
    case systemDaemon = "system-daemon"
  }

  /// One registered process.
  package struct Member: Equatable, Sendable {
    package let number: ProcessNumber
    /// The kernel's number of it.
    package let process: Int32
    package let role: Role
    package let name: String
  }

  private struct Entry {
    let member: Member
    let pidfd: Pidfd
    var child: ChildProcess?
  }

  private struct State {
    var entries: [Entry] = []
    var next: Int32 = 1
    /// Whom a thread belongs to, also when to nobody.
    var threads: [Int32: ProcessNumber] = [:]
    /// Killed descendants of members, to be waited for.
    var descendants: [Pidfd] = []
  }

  private let state = Locked(State())
  private let spawner: Spawner

  init(zygote: [String]?) throws(SystemError) {
    spawner = try Spawner(zygote: zygote)
  }

  func stop() {
    spawner.stop()
  }

  /// The registered processes that have not ended, in the order of registration.
  package var members: [Member] {
    state.withLock { state in state.entries.filter { !$0.pidfd.hasEnded }.map(\.member) }
  }

  // MARK: - Registering

  /// Registers a process that somebody else started. It should not have touched the mount yet.
  ///
  /// - Throws: `SystemError` with `ESRCH` when the process has ended.
  @discardableResult
  package func register(
    _ pidfd: Pidfd, role: Role, name: String
  ) throws(SystemError) -> ProcessNumber {
    guard let process = pidfd.processNumber() else {
      throw SystemError(call: "register", subject: name, code: ESRCH)
    }
    return add(process, pidfd, role, name)
  }

  private func add(_ process: Int32, _ pidfd: Pidfd, _ role: Role, _ name: String) -> ProcessNumber
  {
    state.withLock { state in
      // A child that nobody else waits for is buried by that.
      state.entries.removeAll { $0.pidfd.hasEnded }
      let number = ProcessNumber(state.next)
      state.next += 1
      let member = Member(number: number, process: process, role: role, name: name)
      state.entries.append(Entry(member: member, pidfd: pidfd))
      state.threads = [:]
      return number
    }
  }

  /// Starts a program that is registered before it touches a file, and dies with this process.
  ///
  /// - Throws: `SystemError` when it could not be executed; nothing stays registered then.
  package func spawn(
    _ launch: ChildProcess.Launch, role: Role, name: String
  ) throws(SystemError) -> (number: ProcessNumber, child: ChildProcess) {
    do {
      let (child, number) = try spawner.start(launch) { process throws(SystemError) in
        add(process, try Pidfd(process: process), role, name)
      }
      state.withLock { state in
        for index in state.entries.indices where state.entries[index].member.number == number {
          state.entries[index].child = child
        }
      }
      return (number, child)
    } catch {
      state.withLock { $0.entries.removeAll { $0.member.name == name && $0.pidfd.hasEnded } }
      throw error
    }
  }

  // MARK: - Finding

  /// The registered process that a thread belongs to, itself or through its ancestors.
  ///
  /// - Parameter thread: What FUSE reports; 0 for the kernel, which is nobody.
  /// - Returns: The number, or `ProcessNumber.unknown`.
  func process(ofThread thread: Int32) -> ProcessNumber {
    guard thread > 0 else { return .unknown }
    return state.withLock { state in
      if state.entries.isEmpty { return .unknown }
      if let known = state.threads[thread] { return known }
      let found = Self.search(from: thread, state.entries)
      if state.threads.count >= 4096 { state.threads = [:] }
      state.threads[thread] = found
      return found
    }
  }

  private static func search(from thread: Int32, _ entries: [Entry]) -> ProcessNumber {
    var next = thread
    for _ in 0..<64 {
      guard let place = ProcessTable.place(ofThread: next) else { return .unknown }
      if let entry = entries.last(where: { $0.member.process == place.process }) {
        return entry.pidfd.hasEnded ? .unknown : entry.member.number
      }
      guard place.parent > 1 else { return .unknown }
      next = place.parent
    }
    return .unknown
  }

  // MARK: - Ending

  /// Sends SIGKILL to a registered process and its descendants; does not wait.
  ///
  /// - Returns: `false` when no such process is registered, or it has ended: nobody is signalled.
  @discardableResult
  func kill(_ number: ProcessNumber) -> Bool {
    state.withLock { state in
      guard let entry = state.entries.first(where: { $0.member.number == number }),
        !entry.pidfd.hasEnded
      else { return false }
      Self.kill(entry, &state)
      return true
    }
  }

  /// Sends SIGKILL to all registered processes and their descendants; does not wait.
  ///
  /// - Returns: The names of those that had not ended.
  @discardableResult
  func killAll() -> [String] {
    state.withLock { state in
      let alive = state.entries.filter { !$0.pidfd.hasEnded }
      for entry in alive { Self.kill(entry, &state) }
      return alive.map(\.member.name)
    }
  }

  /// The family is looked up first: once the ancestor is dead nothing leads to its children.
  private static func kill(_ entry: Entry, _ state: inout State) {
    let family = descendants(of: entry.member.process)
    for pidfd in [entry.pidfd] + family { try? pidfd.kill() }
    state.descendants += family
  }

  private static func descendants(of process: Int32) -> [Pidfd] {
    ProcessTable.children(of: process).flatMap { child -> [Pidfd] in
      guard let pidfd = try? Pidfd(process: child),
        ProcessTable.place(ofThread: child)?.parent == process
      else { return [] }
      return [pidfd] + descendants(of: child)
    }
  }

  /// Waits until registered processes have ended, buries those that this process started, and
  /// forgets them.
  ///
  /// - Parameters:
  ///   - role: Whom to wait for; `nil` waits for all.
  ///   - timeoutMs: The most milliseconds to wait.
  /// - Returns: The names of those that are still there when the time runs out.
  @discardableResult
  package func waitUntilEnded(_ role: Role? = nil, timeoutMs: Int) -> [String] {
    let deadline = Clocks.monotonicNs + Int64(timeoutMs) * 1_000_000
    let (all, descendants) = state.withLock { ($0.entries, $0.descendants) }
    let entries = all.filter { role == nil || $0.member.role == role }
    var remaining: [String] = []
    for entry in entries where !Self.wait(entry.pidfd, deadline) {
      remaining.append(entry.member.name)
    }
    for pidfd in descendants where !Self.wait(pidfd, deadline) {
      remaining.append("a child process")
    }
    for entry in entries where entry.pidfd.hasEnded { _ = try? entry.child?.wait() }
    state.withLock { state in
      state.entries.removeAll { $0.pidfd.hasEnded }
      state.descendants.removeAll { $0.hasEnded }
      state.threads = [:]
    }
    return remaining
  }

  private static func wait(_ pidfd: Pidfd, _ deadline: Int64) -> Bool {
    let left = max(0, (deadline - Clocks.monotonicNs) / 1_000_000)
    return (try? pidfd.waitForEnd(timeoutMs: Int(left))) ?? true
  }
}
