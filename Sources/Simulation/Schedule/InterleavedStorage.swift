package import Ports

extension SimulatedProcess {
  /// The key side, as this process calls it. A call fails when the process has ended.
  package func secureStorage(over storage: any SecureStorage) -> any SecureStorage {
    InterleavedStorage("secure", storage, self)
  }

  /// The blob side, as this process calls it. A call fails when the process has ended.
  package func plainStorage(over storage: any PlainStorage) -> any PlainStorage {
    InterleavedStorage("plain", storage, self)
  }

  /// A service of the system, as this process calls it. A call fails when the process has ended;
  /// the service goes on.
  package func daemon(over daemon: any SystemDaemon) -> any SystemDaemon {
    InterleavedDaemon(daemon, self)
  }

  fileprivate func nativeCall<Value>(
    _ call: String, _ name: String, _ body: () async throws(NativeError) -> Value
  ) async throws(NativeError) -> Value {
    try await interleave(
      call, name, ifGone: NativeError(message: "\(ProcessGone())"), body)
  }
}

private final class InterleavedStorage: SecureStorage, PlainStorage {
  private let side: String
  private let storage: any ItemStorage
  private let process: SimulatedProcess

  /// - Parameters:
  ///   - side: What the calls are called: `secure` or `plain`.
  ///   - storage: What is called.
  ///   - process: Who calls.
  init(_ side: String, _ storage: any ItemStorage, _ process: SimulatedProcess) {
    self.side = side
    self.storage = storage
    self.process = process
  }

  func item(_ name: String) async throws(NativeError) -> String? {
    try await process.nativeCall("\(side).item", name) { () async throws(NativeError) in
      try await storage.item(name)
    }
  }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    try await process.nativeCall("\(side).setItem", name) { () async throws(NativeError) in
      try await storage.setItem(name, to: value)
    }
  }

  func removeItem(_ name: String) async throws(NativeError) {
    try await process.nativeCall("\(side).removeItem", name) { () async throws(NativeError) in
      try await storage.removeItem(name)
    }
  }
}

private final class InterleavedDaemon: SystemDaemon {
  private let daemon: any SystemDaemon
  private let process: SimulatedProcess

  init(_ daemon: any SystemDaemon, _ process: SimulatedProcess) {
    self.daemon = daemon
    self.process = process
  }

  func call(_ request: String) async throws(DaemonUnavailable) -> String {
    let gone = DaemonUnavailable(reason: "\(ProcessGone())")
    return try await process.interleave("daemon.call", "", ifGone: gone) {
      () async throws(DaemonUnavailable) in try await daemon.call(request)
    }
  }
}
