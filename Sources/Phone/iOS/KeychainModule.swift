package import Ports

/// expo-secure-store on iOS: the client of the keychain.
///
/// Values live in generic passwords whose service ends in `:no-auth` (or `:auth`; older versions
/// had no ending). Asynchronous functions of a module run one after the other on one queue. Source:
/// expo/expo `SecureStoreModule.swift`, `SecureStore.ts`.
package final class KeychainModule: SecureStorage {
  private let daemon: any SystemDaemon
  private let points: any TracePoint
  private let accessibility: Accessibility
  private let updateSetsAccessibility: Bool
  private let service: String
  private let queue = SerialQueue()

  /// Makes the module for one launch of an app.
  ///
  /// - Parameters:
  ///   - daemon: The keychain's service.
  ///   - points: Told of the moments around a save.
  ///   - accessibility: The class of what is saved without `keychainAccessible`.
  ///   - updateSetsAccessibility: Whether the class decides when an item is updated, too, and not
  ///     only when it is added.
  ///   - service: The option `keychainService`.
  package init(
    daemon: any SystemDaemon, points: any TracePoint,
    accessibility: Accessibility = .whenUnlocked, updateSetsAccessibility: Bool = false,
    service: String = "app"
  ) {
    self.daemon = daemon
    self.points = points
    self.accessibility = accessibility
    self.updateSetsAccessibility = updateSetsAccessibility
    self.service = service
  }

  package func item(_ name: String) async throws(NativeError) -> String? {
    try SecureStoreName.check(name)
    return try await inTurn { () async throws(NativeError) in
      for suffix in [Suffix.noAuthentication, .authentication, .legacy] {
        let answer = await self.call(.copyMatching(self.query(name, suffix)))
        switch answer.status {
        case .success: return answer.data.flatMap { Self.text(of: $0) }
        case .itemNotFound: continue
        default: throw Self.error(answer.status, in: "getValueWithKeyAsync")
        }
      }
      return nil
    }
  }

  package func setItem(_ name: String, to value: String) async throws(NativeError) {
    try await setItem(name, to: value, accessible: nil)
  }

  package func setItem(
    _ name: String, to value: String, accessible: Accessibility?
  ) async throws(NativeError) {
    try SecureStoreName.check(name)
    try await inTurn { () async throws(NativeError) in
      self.points.reach(.beforeKey)
      let status = await self.set(name, Array(value.utf8), accessible ?? self.accessibility)
      guard status == .success else { throw Self.error(status, in: "setValueWithKeyAsync") }
      self.points.reach(.keyWritten)
    }
  }

  /// Never rejects for a status: all three are ignored.
  package func removeItem(_ name: String) async throws(NativeError) {
    try SecureStoreName.check(name)
    try await inTurn { () async throws(NativeError) in
      for suffix in [Suffix.legacy, .authentication, .noAuthentication] {
        _ = await self.call(.delete(self.query(name, suffix)))
      }
    }
  }

  /// Two transactions of the service when the item exists: a refused add, then the update.
  private func set(
    _ name: String, _ data: [UInt8], _ accessibility: Accessibility
  ) async -> SecStatus {
    let query = query(name, .noAuthentication)
    let item = SecItem(query: query, accessibility: accessibility, data: data)
    let added = await call(.add(item)).status
    switch added {
    case .success:
      for suffix in [Suffix.legacy, .authentication] {
        _ = await call(.delete(self.query(name, suffix)))
      }
      return .success
    case .duplicateItem:
      let new = updateSetsAccessibility ? accessibility : nil
      return await call(.update(query, data: data, accessibility: new)).status
    default:
      return added
    }
  }

  private enum Suffix: String {
    case noAuthentication = ":no-auth"
    case authentication = ":auth"
    case legacy = ""
  }

  private func query(_ name: String, _ suffix: Suffix) -> SecItemQuery {
    IOSLayout.keyItem(for: name, service: service, suffix: suffix.rawValue)
  }

  private func call(_ request: KeychainRequest) async -> KeychainAnswer {
    do {
      return KeychainAnswer.reading(try await daemon.call(request.text))
    } catch {
      return KeychainAnswer(.notAvailable)
    }
  }

  private func inTurn<Result>(
    _ body: () async throws(NativeError) -> Result
  ) async throws(NativeError) -> Result {
    await queue.enter()
    defer { queue.leave() }
    return try await body()
  }

  /// `String(data:encoding:)`: bytes that are no UTF-8 read as nothing.
  private static func text(of data: [UInt8]) -> String? {
    String(validating: data, as: UTF8.self)
  }

  private static func error(_ status: SecStatus, in function: String) -> NativeError {
    NativeError(
      code: "ERR_KEY_CHAIN",
      message: "Calling the '\(function)' function has failed\n→ Caused by: \(status.text)")
  }
}
