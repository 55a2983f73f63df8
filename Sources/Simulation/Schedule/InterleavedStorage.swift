package import Ports

extension SimulatedProcess {
  /// The key side, as this process calls it. A call fails when the process has ended.
  package func secureStorage(over storage: any SecureStorage) -> any SecureStorage {
    InterleavedSecureStorage(storage, self)
  }

  /// The blob side, as this process calls it. A call fails when the process has ended.
  package func plainStorage(over storage: any PlainStorage) -> any PlainStorage {
    InterleavedPlainStorage(storage, self)
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

private final class InterleavedSecureStorage: SecureStorage {
  private let storage: any SecureStorage
  private let process: SimulatedProcess

  init(_ storage: any SecureStorage, _ process: SimulatedProcess) {
    self.storage = storage
    self.process = process
  }

  func item(_ name: String) async throws(NativeError) -> String? {
    try await process.nativeCall("secure.item", name) { () async throws(NativeError) in
      try await storage.item(name)
    }
  }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    try await process.nativeCall("secure.setItem", name) { () async throws(NativeError) in
      try await storage.setItem(name, to: value)
    }
  }

  func removeItem(_ name: String) async throws(NativeError) {
    try await process.nativeCall("secure.removeItem", name) { () async throws(NativeError) in
      try await storage.removeItem(name)
    }
  }
}

private final class InterleavedPlainStorage: PlainStorage {
  private let storage: any PlainStorage
  private let process: SimulatedProcess

  init(_ storage: any PlainStorage, _ process: SimulatedProcess) {
    self.storage = storage
    self.process = process
  }

  func item(_ name: String) async throws(NativeError) -> String? {
    try await process.nativeCall("plain.item", name) { () async throws(NativeError) in
      try await storage.item(name)
    }
  }

  func setItem(_ name: String, to value: String) async throws(NativeError) {
    try await process.nativeCall("plain.setItem", name) { () async throws(NativeError) in
      try await storage.setItem(name, to: value)
    }
  }

  func removeItem(_ name: String) async throws(NativeError) {
    try await process.nativeCall("plain.removeItem", name) { () async throws(NativeError) in
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
