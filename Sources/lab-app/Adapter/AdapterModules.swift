import Crypto
import JSON
import Phone
import Ports
import Session
import Simulation

/// The phone's native modules, as a program of somebody else's calls them: by name, with texts.
final class AdapterModules {
  let ports: StorePorts
  /// SecureStore, for saves that say how their item is protected.
  let protected: any ProtectedItems
  /// AsyncStorage, for calls with several keys; they interleave with others as all do.
  let many: any ManyItems
  let process: SimulatedProcess
  /// What comes of each page that the program opens for a sign-in.
  let browser: BrowserResult
  /// Whether the person sees the app.
  var state: AppState
  /// How many saves are under way: what is written meanwhile is what the session is kept as.
  var saveCount = 0
  let secrets = SecretWords()
  let notes: CallNotes

  init(
    ports: StorePorts, protected: any ProtectedItems, many: any ManyItems,
    process: SimulatedProcess, browser: BrowserResult, state: AppState, notes: CallNotes
  ) {
    self.ports = ports
    self.protected = protected
    self.many = many
    self.process = process
    self.browser = browser
    self.state = state
    self.notes = notes
  }

  /// Why a call gives no value.
  enum Refusal: Error {
    /// As the module rejects; the program is told.
    case native(NativeError)
    /// There is no such call, or not with these arguments.
    case misuse(String)
  }

  private static let bytesMax = 65_536

  static let methods = [
    "secureStore.getItem", "secureStore.setItem", "secureStore.deleteItem", "asyncStorage.getItem",
    "asyncStorage.setItem", "asyncStorage.removeItem", "asyncStorage.mergeItem",
    "asyncStorage.multiGet", "asyncStorage.multiSet", "asyncStorage.multiMerge",
    "asyncStorage.multiRemove", "asyncStorage.getAllKeys", "asyncStorage.clear",
    "crypto.getRandomValues", "webBrowser.openAuthSession", "appState", "console.warn",
    "unsupported",
  ]

  func call(_ method: String, _ arguments: [JSONNode]) async throws(Refusal) -> JSONValue {
    guard Self.methods.contains(method) else { throw unknown(method) }
    let touch = ItemTouch(method, arguments)
    if touch?.kind == .writes, saveCount > 0 { try note(.begins, touch?.items, touch) }
    if touch?.kind == .removes { try note(.removed, touch?.items, touch) }
    if touch?.kind == .clears { try note(.cleared, [""], touch) }
    do throws(Refusal) {
      let value = try await carryOut(method, arguments)
      if touch?.kind == .writes { try note(.stored, touch?.items, touch) }
      if touch?.kind == .reads { try note(.missing, touch?.missing(in: value), touch) }
      return value
    } catch {
      // SecureStore on Android, of an entry whose key is gone.
      if case .native(let error) = error, error.code == "ERR_DECRYPT", touch?.kind == .reads {
        try note(.missing, touch?.items, touch)
      }
      throw error
    }
  }

  private func note(
    _ change: CallNotes.Change, _ items: [String]?, _ touch: ItemTouch?
  ) throws(Refusal) {
    guard let items, let touch else { return }
    do throws(AcknowledgementFailure) {
      try notes.note(change, items, touch.half)
    } catch {
      throw .native(NativeError(message: "\(error)"))
    }
  }

  private func carryOut(
    _ method: String, _ arguments: [JSONNode]
  ) async throws(Refusal) -> JSONValue {
    var words = Arguments(method, arguments)
    let module = method.split(separator: ".").first ?? ""
    switch module {
    case "secureStore": return try await secureStore(method, &words)
    case "asyncStorage": return try await asyncStorage(method, &words)
    default: return try system(method, &words)
    }
  }

  private func secureStore(
    _ method: String, _ words: inout Arguments
  ) async throws(Refusal) -> JSONValue {
    let name = try words.text()
    switch method {
    case "secureStore.getItem":
      return try await native { () async throws(NativeError) in
        try await ports.secure.item(name).map(JSONValue.text) ?? .null
      }
    case "secureStore.setItem":
      let value = try words.text()
      let accessible = try words.accessibility()
      secrets.learn(value)
      return try await native("secure.setItem", name) { () async throws(NativeError) in
        try await protected.setItem(name, to: value, accessible: accessible)
        return .null
      }
    case "secureStore.deleteItem":
      return try await native { () async throws(NativeError) in
        try await ports.secure.removeItem(name)
        return .null
      }
    default: throw unknown(method)
    }
  }

  private func asyncStorage(
    _ method: String, _ words: inout Arguments
  ) async throws(Refusal) -> JSONValue {
    switch method {
    case "asyncStorage.getItem":
      let name = try words.text()
      return try await native { () async throws(NativeError) in
        try await ports.plain.item(name).map(JSONValue.text) ?? .null
      }
    case "asyncStorage.setItem":
      let (name, value) = (try words.text(), try words.text())
      return try await native { () async throws(NativeError) in
        try await ports.plain.setItem(name, to: value)
        return .null
      }
    case "asyncStorage.removeItem":
      let name = try words.text()
      return try await native { () async throws(NativeError) in
        try await ports.plain.removeItem(name)
        return .null
      }
    default: return try await severalItems(method, &words)
    }
  }

  private func severalItems(
    _ method: String, _ words: inout Arguments
  ) async throws(Refusal) -> JSONValue {
    switch method {
    case "asyncStorage.mergeItem":
      let (name, value) = (try words.text(), try words.text())
      return try await native(method) { () async throws(NativeError) in
        try await many.mergeItem(name, with: value)
        return .null
      }
    case "asyncStorage.multiGet":
      let keys = try words.texts()
      return try await native(method) { () async throws(NativeError) in
        .list(
          try await many.values(of: keys).map { key, value in
            .list([.text(key), value.map(JSONValue.text) ?? .null])
          })
      }
    case "asyncStorage.multiSet":
      let pairs = try words.pairs()
      return try await native(method) { () async throws(NativeError) in
        try await many.setAll(pairs)
        return .null
      }
    case "asyncStorage.multiMerge":
      let pairs = try words.pairs()
      return try await native(method) { () async throws(NativeError) in
        try await many.mergeAll(pairs)
        return .null
      }
    case "asyncStorage.multiRemove":
      let keys = try words.texts()
      return try await native(method) { () async throws(NativeError) in
        try await many.removeAll(keys)
        return .null
      }
    case "asyncStorage.getAllKeys":
      return try await native(method) { () async throws(NativeError) in
        .list(try await many.allKeys().map(JSONValue.text))
      }
    case "asyncStorage.clear":
      return try await native(method) { () async throws(NativeError) in
        try await many.clear()
        return .null
      }
    default: throw unknown(method)
    }
  }

  private func system(_ method: String, _ words: inout Arguments) throws(Refusal) -> JSONValue {
    switch method {
    case "crypto.getRandomValues":
      return .text(Hexadecimal.encode(ports.entropy.bytes(try words.count(Self.bytesMax))))
    case "webBrowser.openAuthSession":
      _ = try words.text()
      ports.trace.reach(.browserOpened)
      return browser.json
    case "appState": return .text(state.rawValue)
    case "console.warn":
      ports.console.warn(secrets.shown(try words.text()))
      return .null
    case "unsupported":
      // A store that catches it would be judged by what the lab cannot do.
      throw .misuse("needs \(secrets.shown(try words.text())), which is not modelled")
    default: throw unknown(method)
    }
  }

  private func unknown(_ method: String) -> Refusal {
    let nearest = NearestWord.to(method, among: Self.methods)
    let hint = nearest.map { "; did it mean '\($0)'?" } ?? ""
    return .misuse("called '\(secrets.shown(method))', which is no call\(hint)")
  }

  private func native(
    _ method: String, _ name: String = "", _ call: () async throws(NativeError) -> JSONValue
  ) async throws(Refusal) -> JSONValue {
    try await native { () async throws(NativeError) in
      try await process.interleave(
        method, name, ifGone: NativeError(message: "\(ProcessGone())"), call)
    }
  }

  private func native(
    _ call: () async throws(NativeError) -> JSONValue
  ) async throws(Refusal) -> JSONValue {
    do throws(NativeError) {
      return try await call()
    } catch {
      throw .native(error)
    }
  }
}

extension BrowserResult {
  /// As `WebBrowser.openAuthSessionAsync` resolves.
  fileprivate var json: JSONValue {
    switch self {
    case .success(let url): ["type": "success", "url": .text(url)]
    case .cancel: ["type": "cancel"]
    case .dismiss: ["type": "dismiss"]
    case .locked: ["type": "locked"]
    }
  }
}

/// The arguments of one call, taken one after the other; surplus ones are passed over, as in JavaScript.
private struct Arguments {
  private let method: String
  private let nodes: [JSONNode]
  private var index = 0

  init(_ method: String, _ nodes: [JSONNode]) {
    self.method = method
    self.nodes = nodes
  }

  mutating func text() throws(AdapterModules.Refusal) -> String {
    try take("a text") { $0.text }
  }

  mutating func count(_ max: Int) throws(AdapterModules.Refusal) -> Int {
    try take("a whole number from 0 to \(max)") { value in
      value.integer.flatMap { (0...Int64(max)).contains($0) ? Int($0) : nil }
    }
  }

  /// The class of a keychain item, which need not be said.
  mutating func accessibility() throws(AdapterModules.Refusal) -> Accessibility? {
    guard index < nodes.count, nodes[index].value != .null else { return nil }
    let words = Accessibility.allCases.map(\.rawValue).joined(separator: ", ")
    return try take("one of \(words)") { $0.text.flatMap(Accessibility.init(rawValue:)) }
  }

  mutating func texts() throws(AdapterModules.Refusal) -> [String] {
    try take("a list of texts") { value in
      let texts = value.list?.map(\.text)
      return texts?.contains(nil) == false ? texts?.compactMap { $0 } : nil
    }
  }

  mutating func pairs() throws(AdapterModules.Refusal) -> [(key: String, value: String)] {
    try take("a list of pairs of texts") { value in
      let pairs = value.list?.map { pair -> (key: String, value: String)? in
        guard let pair = pair.list, pair.count == 2, let key = pair[0].text,
          let value = pair[1].text
        else { return nil }
        return (key, value)
      }
      return pairs?.contains { $0 == nil } == false ? pairs?.compactMap { $0 } : nil
    }
  }

  private mutating func take<Value>(
    _ kind: String, _ read: (JSONValue) -> Value?
  ) throws(AdapterModules.Refusal) -> Value {
    defer { index += 1 }
    guard index < nodes.count, let value = read(nodes[index].value) else {
      throw .misuse("called \(method) without \(kind) as argument \(index + 1)")
    }
    return value
  }
}
