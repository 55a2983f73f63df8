import Crypto
import Ports

/// The two halves of the published recipe, and what it does to them.
///
/// Source of the modelled behaviour: Supabase's Expo tutorial, `LargeSecureStore`. Both halves use
/// the name of the item. A write draws a new 32-byte key, encrypts, replaces the key, and only
/// then replaces the blob: between these two the item cannot be read. A removal takes the blob
/// first. Nothing is locked, so overlapping calls mix. The logical points are announced by the
/// storage modules.
final class TwoHalves {
  private let secure: any SecureStorage
  private let plain: any PlainStorage
  private let entropy: any Entropy
  private var cipher: AESJSCipher

  init(_ ports: StorePorts) throws(StoreError) {
    do throws(AESJSError) {
      cipher = try AESJSCipher()
    } catch {
      throw .cipher(error)
    }
    secure = ports.secure
    plain = ports.plain
    entropy = ports.entropy
  }

  /// The blob half; an empty text is what some versions of the module give for nothing.
  func blob(_ name: String) async throws(StoreError) -> String? {
    do throws(NativeError) {
      return try await plain.item(name)
    } catch {
      throw .native(error)
    }
  }

  /// The key half, as text.
  func keyText(_ name: String) async throws(StoreError) -> String? {
    do throws(NativeError) {
      return try await secure.item(name)
    } catch {
      throw .native(error)
    }
  }

  func decrypt(_ blob: String, keyText: String) throws(StoreError) -> JavaScriptString {
    do throws(AESJSError) {
      return try cipher.decrypt(JavaScriptString(blob), keyText: JavaScriptString(keyText))
    } catch {
      throw .cipher(error)
    }
  }

  /// Encrypts under a new key and writes the key, then the blob.
  ///
  /// A text that cannot be encrypted leaves both halves as they were. A key half that rejects
  /// leaves the blob as it was; a blob half that rejects leaves the new key, so that the old blob
  /// is lost.
  func save(_ name: String, _ value: JavaScriptString) async throws(StoreError) {
    var key = entropy.bytes(AESJSCipher.keyBytes)
    let keyText = Hexadecimal.encode(key)
    defer { wipe(&key) }
    let blob: String
    do throws(AESJSError) {
      blob = try cipher.encrypt(value, key: key)
    } catch {
      throw .cipher(error)
    }
    do throws(NativeError) {
      try await secure.setItem(name, to: keyText)
      try await plain.setItem(name, to: blob)
    } catch {
      throw .native(error)
    }
  }

  /// Removes the blob, then the key; a blob that cannot be removed keeps its key.
  func remove(_ name: String) async throws(StoreError) {
    do throws(NativeError) {
      try await plain.removeItem(name)
      try await secure.removeItem(name)
    } catch {
      throw .native(error)
    }
  }
}
