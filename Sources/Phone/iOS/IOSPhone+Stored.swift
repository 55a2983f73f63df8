package import JSON

extension IOSPhone {
  /// What the system knows about the phone, for an image file.
  package var stored: JSONValue {
    [
      "installCount": .integer(installCount), "installed": .bool(isInstalled),
      "lockState": .text(lockState.rawValue),
      "snapshots": .object(
        JSONObject(
          snapshots.map { name, halves in
            let words = halves.map(\.rawValue).sorted().map(JSONValue.text)
            return JSONObject.Member(key: name, value: .list(words))
          })),
    ]
  }

  /// The same phone, which remembers the backups of another.
  package func keepingBackups(of other: IOSPhone) -> IOSPhone {
    var phone = self
    phone.snapshots = other.snapshots
    return phone
  }

  /// The phone that ``stored`` came from; the settings are given anew.
  ///
  /// - Throws: `JSONError` when it is not one.
  package init(stored text: String, settings: IOSSettings) throws {
    var object = try JSONReader.read(text).object("a phone's state")
    let count = try object.required("installCount").integer(in: 1...1_000_000)
    let isInstalled = try object.required("installed").bool()
    let lockState = try object.required("lockState").word("lock state", as: LockState.self)
    var snapshots: [String: Set<Half>] = [:]
    for member in try object.required("snapshots").members() {
      snapshots[member.key] = Set(
        try member.node.list { half throws(JSONError) in try half.word("half", as: Half.self) })
    }
    try object.finish()
    try self.init(settings: settings)
    layout = try IOSLayout(installCount: count)
    installCount = count
    self.isInstalled = isInstalled
    self.lockState = lockState
    self.snapshots = snapshots
  }
}
