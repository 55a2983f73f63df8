package import JSON

extension IOSPhone {
  /// What the system knows about the phone, for an image file.
  package var stored: JSONValue {
    [
      "installCount": .integer(installCount), "installed": .bool(isInstalled),
      "lockState": .text(lockState.rawValue), "phone": .text(kind.rawValue),
      "snapshots": Half.stored(snapshots),
    ]
  }

  /// The phone that ``stored`` came from; the settings are given anew.
  ///
  /// - Throws: `JSONError` when it is not one.
  package init(stored text: String, settings: IOSSettings) throws {
    var object = try JSONReader.read(text).object("a phone's state")
    _ = try object.optional("phone")?.word("phone", of: [PhoneKind.ios.rawValue])
    let count = try object.required("installCount").integer(in: 1...1_000_000)
    let isInstalled = try object.required("installed").bool()
    let lockState = try object.required("lockState").word("lock state", as: LockState.self)
    let snapshots = try Half.snapshots(from: try object.required("snapshots"))
    try object.finish()
    try self.init(settings: settings)
    layout = try IOSLayout(installCount: count)
    installCount = count
    self.isInstalled = isInstalled
    self.lockState = lockState
    self.snapshots = snapshots
  }
}
