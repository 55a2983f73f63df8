import Ports

/// The whole value as one item of the key half.
///
/// The size rule counts bytes of UTF-8, and 2,048 itself is allowed. A lone surrogate reaches the
/// keychain as U+FFFD, because the bridge to the native module takes UTF-8.
final class KeychainOnlyStore: SessionStore {
  private let secure: any SecureStorage
  private let console: any Console
  private let rule: SizeRule

  init(_ ports: StorePorts, rule: SizeRule) {
    secure = ports.secure
    console = ports.console
    self.rule = rule
  }

  func item(_ name: String) async throws(StoreError) -> JavaScriptString? {
    do throws(NativeError) {
      return try await secure.item(name).map(JavaScriptString.init(_:))
    } catch {
      throw .native(error)
    }
  }

  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError) {
    if value.utf8Bytes > SizeRule.limitBytes {
      switch rule {
      case .off: break
      case .warn:
        console.warn(
          "Value being stored in SecureStore is larger than 2048 bytes and it may not be stored "
            + "successfully. In a future SDK version, this call may throw an error.")
      case .enforce:
        throw .tooLarge(bytes: value.utf8Bytes, limit: SizeRule.limitBytes)
      }
    }
    do throws(NativeError) {
      try await secure.setItem(name, to: value.repaired)
    } catch {
      throw .native(error)
    }
  }

  func removeItem(_ name: String) async throws(StoreError) {
    do throws(NativeError) {
      try await secure.removeItem(name)
    } catch {
      throw .native(error)
    }
  }
}
