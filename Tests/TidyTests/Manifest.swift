/// The targets of `Package.swift` and what they depend on, as written there.
struct Manifest {
  private(set) var dependencies: [String: [String]] = [:]

  init(_ text: String) {
    let target =
      #"(?:\bpart|\.target|\.executableTarget|\.systemLibrary)\(\s*(?:name:\s*)?"([\w-]+)""#
    let list = #"^(?:,\s*(?:dependencies:\s*)?\[([^\]]*)\])"#
    for hit in text.hits(target) {
      let rest = String(text.utf16.dropFirst(hit.start + hit.group.utf16.count + 1)) ?? ""
      let names = rest.hits(list).first?.group ?? ""
      dependencies[hit.group] = names.hits(#""([\w-]+)""#).map(\.group)
    }
  }
}
