package import JSON

extension AndroidPhone {
  package var stored: JSONValue {
    [
      "installed": .bool(isInstalled), "lockState": .text(lockState.rawValue),
      "phone": .text(kind.rawValue), "snapshots": Half.stored(snapshots),
    ]
  }

  /// The phone that ``stored`` came from; the settings are given anew.
  ///
  /// - Throws: `JSONError` when it is not one.
  package init(stored text: String, settings: AndroidSettings) throws(JSONError) {
    var object = try JSONReader.read(text).object("a phone's state")
    _ = try object.required("phone").word("phone", of: [PhoneKind.android.rawValue])
    self.init(settings: settings)
    isInstalled = try object.required("installed").bool()
    lockState = try object.required("lockState").word("lock state", as: LockState.self)
    snapshots = try Half.snapshots(from: try object.required("snapshots"))
    try object.finish()
  }
}
