/// The targets of `Package.swift` and what they depend on, as written there.
struct Manifest {
  private(set) var dependencies: [String: [String]] = [:]

  init(_ text: String) {
    let target =
      /(?:\bpart|\.target|\.executableTarget|\.systemLibrary)\(\s*(?:name:\s*)?"([\w-]+)"(?:,\s*(?:dependencies:\s*)?\[([^\]]*)\])?/
    for match in text.hits(target) {
      let list = match.2.map(String.init) ?? ""
      dependencies[String(match.1)] = list.hits(/"([\w-]+)"/).map { String($0.1) }
    }
  }
}
