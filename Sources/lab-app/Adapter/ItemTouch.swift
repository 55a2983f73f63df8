import JSON
import Phone

/// Which items a call of a native module is about.
struct ItemTouch {
  enum Kind { case reads, writes, removes, clears }

  let half: Half
  let kind: Kind
  let items: [String]

  /// - Returns: `nil` for a call that is about no item, or not in the right form.
  init?(_ method: String, _ arguments: [JSONNode]) {
    let words = method.split(separator: ".").map(String.init)
    guard words.count == 2 else { return nil }
    switch words[0] {
    case "secureStore": half = .key
    case "asyncStorage": half = .blob
    default: return nil
    }
    let first = arguments.first?.value
    switch words[1] {
    case "getItem", "multiGet": kind = .reads
    case "setItem", "mergeItem", "multiSet", "multiMerge": kind = .writes
    case "deleteItem", "removeItem", "multiRemove": kind = .removes
    case "clear": kind = .clears
    default: return nil
    }
    if let name = first?.text {
      items = [name]
    } else {
      items = first?.list?.compactMap { $0.text ?? $0.list?.first?.text } ?? []
    }
  }

  /// Those that an answer says are not there.
  func missing(in answer: JSONValue) -> [String] {
    guard let pairs = answer.list else { return answer == .null ? items : [] }
    return pairs.compactMap { pair in
      pair.list?.last == .null ? pair.list?.first?.text : nil
    }
  }
}
