import JSON
import Ports
import Session

extension Twin {
  static let reads = [
    healAnyError, healHalf, markerTrusted, truncatedAccepted, staleBackup, retryStorm,
    neverAnswers, crashLoop, clearsEverything, neverAtRest,
  ]

  static let healAnyError = Twin(
    "heal-any-error", "Takes a refused read for damage and removes both halves.",
    shows: "falseSignOut", breaking: .durable
  ) { store, ports in
    let read = store.reading
    store.reading = { name async throws(StoreError) in
      do throws(StoreError) {
        return try await read(name)
      } catch {
        ports.console.warn("healed: \(error)")
        try await ports.erase(name)
        return nil
      }
    }
  }

  static let healHalf = Twin(
    "heal-half", "Heals what it cannot read by removing the key alone.", shows: "secretLeft",
    base: .healing
  ) { ports, settings throws(StoreError) in
    let blob = Half(ports.plain)
    let removeBlob = blob.removing
    var isReading = false
    blob.removing = { name async throws(NativeError) in
      if !isReading { try await removeBlob(name) }
    }
    let store = Store(try StoreKind.healing.make(ports.over(Half(ports.secure), blob), settings))
    let read = store.reading
    store.reading = { name async throws(StoreError) in
      isReading = true
      defer { isReading = false }
      return try await read(name)
    }
    return store
  }

  static let markerTrusted = Twin(
    "marker-trusted", "Takes its mark of a save under way for proof that the halves are broken.",
    shows: "falseSignOut", breaking: .durable
  ) { store, ports in
    let plain = ports.plain
    let (read, write) = (store.reading, store.writing)
    store.reading = { name async throws(StoreError) in
      let mark = try await native { () async throws(NativeError) in
        try await plain.item(Self.mark(name))
      }
      guard mark != nil else { return try await read(name) }
      try await ports.erase(name)
      try await native { () async throws(NativeError) in
        try await plain.removeItem(Self.mark(name))
      }
      return nil
    }
    store.writing = { name, text async throws(StoreError) in
      try await native { () async throws(NativeError) in
        try await plain.setItem(Self.mark(name), to: "saving")
      }
      try await write(name, text)
      try await native { () async throws(NativeError) in
        try await plain.removeItem(Self.mark(name))
      }
    }
  }

  private static func mark(_ name: String) -> String { "\(name).saving" }

  static let truncatedAccepted = Twin(
    "truncated-accepted", "Closes what is open in a text that was cut off, and accepts it.",
    shows: "garbageAccepted", ofBrokenTextIn: .recipe
  ) { _, _, text in
    let closed = JavaScriptString(Brackets.closed(text.repaired))
    return closed.isBroken ? text : closed
  }

  static let staleBackup = Twin(
    "stale-backup", "Falls back to the session of the sign-in when it cannot read the newest.",
    shows: "falseSignOut", breaking: .recipe
  ) { store, ports in
    let (read, write, remove) = (store.reading, store.writing, store.removing)
    func backup(_ name: String) -> String { "\(name).first" }
    store.reading = { name async throws(StoreError) in
      if let text = try await read(name), !text.isBroken { return text }
      return try await read(backup(name))
    }
    store.writing = { name, text async throws(StoreError) in
      if try await read(backup(name)) == nil { try await write(backup(name), text) }
      try await write(name, text)
    }
    store.removing = { name async throws(StoreError) in
      try await remove(backup(name))
      try await remove(name)
    }
  }

  static let retryStorm = Twin(
    "retry-storm", "Asks a keychain that refuses again and again, without a pause.",
    shows: "requestStorm", breaking: .durable
  ) { store, ports in
    let read = store.reading
    store.reading = { name async throws(StoreError) in
      for _ in 0..<500 {
        do throws(StoreError) { return try await read(name) } catch { continue }
      }
      return try await read(name)
    }
  }

  static let neverAnswers = Twin(
    "never-answers", "Heals in its turn by a call that waits for the same turn.", shows: "hang",
    breaking: .recipe
  ) { store, ports in
    let (read, remove) = (store.reading, store.removing)
    let turns = SerialQueue()
    store.removing = { name async throws(StoreError) in
      await turns.enter()
      defer { turns.leave() }
      try await remove(name)
    }
    store.reading = { [unowned store] name async throws(StoreError) in
      await turns.enter()
      defer { turns.leave() }
      let text = try await read(name)
      guard let text, text.isBroken else { return text }
      try await store.removeItem(name)
      return nil
    }
  }

  static let crashLoop = Twin(
    "crash-loop", "Lets the error of a text that is no JSON end the app, at every start.",
    shows: "crashLoop", ofBrokenTextIn: .recipe
  ) { ports, _, _ throws(StoreError) in
    ports.crash("SyntaxError: JSON Parse error")
    throw .undecided
  }

  static let clearsEverything = Twin(
    "clears-everything", "Clears all that the app has stored when the session is no JSON.",
    shows: "dataDeleted", ofBrokenTextIn: .recipe
  ) { ports, name, _ throws(StoreError) in
    try await ports.erase(name)
    // The platform has no call for all; an app knows its own names.
    try await native { () async throws(NativeError) in
      try await ports.secure.removeItem("pin")
    }
    return nil
  }

  static let neverAtRest = Twin(
    "never-at-rest", "Stores the session anew at every read.", shows: "neverConverged",
    breaking: .durable
  ) { store, ports in
    let (read, write) = (store.reading, store.writing)
    store.reading = { name async throws(StoreError) in
      let text = try await read(name)
      if let text { try await write(name, text) }
      return text
    }
  }
}
