import Ports
import Session

extension Twin {
  static let removals = [signOutKeepsKey, signOutKeepsCopy]

  static let signOutKeepsKey = Twin(
    "sign-out-keeps-key", "Removes the blobs at a sign-out, and leaves the key.",
    shows: "secretLeft", breaking: .durable
  ) { store, ports in
    store.removing = { name async throws(StoreError) in try await ports.eraseBlobs(name) }
  }

  static let signOutKeepsCopy = Twin(
    "sign-out-keeps-copy", "Keeps a copy in the keychain that a sign-out does not remove.",
    shows: "resurrection", breaking: .durable
  ) { store, ports in
    let secure = ports.secure
    let (read, write) = (store.reading, store.writing)
    store.reading = { name async throws(StoreError) in
      if let text = try await read(name) { return text }
      return try await native { () async throws(NativeError) in
        try await secure.item("\(name).copy").map { JavaScriptString($0) }
      }
    }
    store.writing = { name, text async throws(StoreError) in
      try await write(name, text)
      try await native { () async throws(NativeError) in
        try await secure.setItem("\(name).copy", to: text.repaired)
      }
    }
  }
}
