import Ports
import Session

extension Twin {
  static let saves = [
    blobBeforeKey, savesInMemory, doubleWriter, constantKey, plaintextFallback, swallowedRefusal,
    memoryCache,
  ]

  static let blobBeforeKey = Twin(
    "blob-before-key", "Stores the blob before the key that opens it.", shows: "falseSignOut",
    base: .recipe
  ) { ports, settings throws(StoreError) in
    let (key, blob) = (Half(ports.secure), Half(ports.plain))
    let (writeKey, writeBlob) = (key.writing, blob.writing)
    var held: String?
    key.writing = { _, text async throws(NativeError) in held = text }
    blob.writing = { name, text async throws(NativeError) in
      try await writeBlob(name, text)
      if let text = held { try await writeKey(name, text) }
      held = nil
    }
    return try StoreKind.recipe.make(ports.over(key, blob), settings)
  }

  static let savesInMemory = Twin(
    "saves-in-memory", "Reports a save as done and writes only every third, to spare the flash.",
    shows: "falseSignOut", breaking: .durable
  ) { store, ports in
    let (read, write, remove) = (store.reading, store.writing, store.removing)
    var waiting: [JavaScriptString] = []
    store.reading = { name async throws(StoreError) in
      if let newest = waiting.last { return newest }
      return try await read(name)
    }
    store.writing = { name, text async throws(StoreError) in
      waiting.append(text)
      guard waiting.count == 3 else { return }
      waiting = []
      try await write(name, text)
    }
    store.removing = { name async throws(StoreError) in
      waiting = []
      try await remove(name)
    }
  }

  static let doubleWriter = Twin(
    "double-writer",
    "Starts each save twice and lets them overlap: the last key and the last blob do not fit.",
    shows: "falseSignOut", base: .recipe
  ) { ports, settings throws(StoreError) in
    let blob = Half(ports.plain)
    let writeBlob = blob.writing
    var isOvertaken = false
    var late: String?
    blob.writing = { name, text async throws(NativeError) in
      if isOvertaken { late = text } else { try await writeBlob(name, text) }
    }
    let store = Store(try StoreKind.recipe.make(ports.over(Half(ports.secure), blob), settings))
    let write = store.writing
    store.writing = { name, text async throws(StoreError) in
      isOvertaken = true
      try await write(name, text)
      isOvertaken = false
      try await write(name, text)
      guard let blob = late else { return }
      late = nil
      try await native { () async throws(NativeError) in try await writeBlob(name, blob) }
    }
    return store
  }

  static let constantKey = Twin(
    "constant-key", "Draws the same key for each save: its source of random bytes is stuck.",
    shows: "keyReused", base: .recipe
  ) { ports, settings throws(StoreError) in
    var ports = ports
    ports.entropy = StuckEntropy()
    return try StoreKind.recipe.make(ports, settings)
  }

  static let plaintextFallback = Twin(
    "plaintext-fallback", "Stores in the clear, in the blob half, what the keychain refuses.",
    shows: "plaintextLeaked", breaking: .keychainOnly, parts: [.key, .blob],
    savesChangeKey: false
  ) { store, ports in
    let plain = ports.plain
    let (read, write, remove) = (store.reading, store.writing, store.removing)
    store.reading = { name async throws(StoreError) in
      let text = try await native { () async throws(NativeError) in try await plain.item(name) }
      if let text { return JavaScriptString(text) }
      return try await read(name)
    }
    store.writing = { name, text async throws(StoreError) in
      do throws(StoreError) {
        try await write(name, text)
      } catch {
        ports.console.warn("not in the keychain: \(error)")
        try await native { () async throws(NativeError) in
          try await plain.setItem(name, to: text.repaired)
        }
      }
    }
    store.removing = { name async throws(StoreError) in
      try await native { () async throws(NativeError) in try await plain.removeItem(name) }
      try await remove(name)
    }
  }

  static let swallowedRefusal = Twin(
    "swallowed-refusal", "Reports a save as done that the size rule refused.",
    shows: "limitExceeded", breaking: .keychainOnly
  ) { store, ports in
    let write = store.writing
    store.writing = { name, text async throws(StoreError) in
      do throws(StoreError) {
        try await write(name, text)
      } catch StoreError.tooLarge(let bytes, let limit) {
        ports.console.warn("\(bytes) bytes are over the limit of \(limit)")
      }
    }
  }

  static let memoryCache = Twin(
    "memory-cache", "Answers from its memory after a write that failed, and reports it as done.",
    shows: "falseSignOut", breaking: .durable
  ) { store, ports in
    let (read, write, remove) = (store.reading, store.writing, store.removing)
    var cache: [String: JavaScriptString] = [:]
    store.reading = { name async throws(StoreError) in
      if let text = cache[name] { return text }
      return try await read(name)
    }
    store.writing = { name, text async throws(StoreError) in
      cache[name] = text
      do throws(StoreError) {
        try await write(name, text)
      } catch {
        ports.console.warn("to be stored later: \(error)")
      }
    }
    store.removing = { name async throws(StoreError) in
      cache[name] = nil
      try await remove(name)
    }
  }
}

private final class StuckEntropy: Entropy {
  func bytes(_ count: Int) -> [UInt8] { Array(repeating: 7, count: count) }
}
