package import Device
import JSON
import Linux
package import Phone

extension HostedPhone {
  /// Arms a fault that waits for its moment.
  ///
  /// - Throws: ``PhoneHostError/refused(_:)`` for a fault that has no moment, or that names a domain
  ///   which the phone does not have.
  package func arm(_ request: FaultRequest) throws(PhoneHostError) -> FaultID {
    try checkPlace(request)
    guard let fault = request.armed(halves) else {
      throw .refused("\(request.kind.rawValue) has no moment to wait for")
    }
    try checkDomains(request.values.survivors)
    let id = withDevice { $0.arm(fault) }
    state.withLock { $0.requests[id] = request }
    if case .call(let kind?, _, _) = fault.trigger { forgetCaches(for: kind) }
    return id
  }

  /// Lets a fault happen now.
  ///
  /// - Returns: The rule that makes it legal, for reports; `nil` for one that needs none.
  @discardableResult
  package func happen(_ request: FaultRequest) throws(PhoneHostError) -> PhonePlan? {
    try checkPlace(request)
    switch request.kind {
    case .kill:
      guard hasApp else {
        throw .refused("no app runs on the phone.  do: start one with lab app or lab with")
      }
      try endApps()
      return nil
    case .powerCut:
      try checkDomains(request.values.survivors)
      try cutPower(request.values.survivors.naming(halves))
      noteCuts()
      return nil
    case .bitFlip, .truncate:
      try alter(request)
      return nil
    default:
      guard let event = request.event else {
        throw .refused("\(request.kind.rawValue) needs a moment to wait for")
      }
      return try happen(event)
    }
  }

  private func checkPlace(_ request: FaultRequest) throws(PhoneHostError) {
    guard request.kind.isOnServer else { return }
    throw .refused("\(request.kind.rawValue) happens to a server (lab serve), not to a phone")
  }

  private func alter(_ request: FaultRequest) throws(PhoneHostError) {
    guard let fault = request.alteration else { return }
    let altered = withDevice { device in
      Result { () throws(DeviceError) in try device.alter(fault) }
    }
    switch altered {
    case .success(let inode):
      forget(Stale(inodes: [inode]), waits: true)
      noteLoss(by: request)
    case .failure(.noEntry): throw .missingFile(request.values.path)
    case .failure: throw .refused(whyNotAltered(request))
    }
  }

  /// Which value does not fit, and what would.
  private func whyNotAltered(_ request: FaultRequest) -> String {
    let values = request.values
    let files = withDevice { device in
      device.live.files(matching: PathPattern(values.path)).map { id in
        (path: device.live.path(of: id), bytes: device.live.attributes(of: id)?.sizeBytes ?? 0)
      }
    }
    guard let file = files.first, files.count == 1 else {
      let names = files.map(\.path).joined(separator: " ")
      return "path '\(values.path)' names \(files.count) files; name one of: \(names)"
    }
    let size = "\(file.path) has \(Counted.words(file.bytes, "byte"))"
    if request.kind == .truncate { return "to \(values.length) is behind the end: \(size)" }
    return file.bytes == 0
      ? "\(file.path) is empty: no byte can change"
      : "byte \(values.byte) is behind the end: \(size), 0 to \(file.bytes - 1)"
  }

  /// Bytes that were altered count as lost for the half that they belong to.
  func noteLoss(by request: FaultRequest) {
    guard request.alteration != nil else { return }
    let domain = withDevice { $0.domainName(ofFileAt: request.values.path) }
    let isKey = domain.map(domains(of: .key).contains) ?? false
    state.withLock { _ = $0.losses.insert(isKey ? .key : .blob) }
  }

  private func checkDomains(_ survivors: Survivors) throws(PhoneHostError) {
    let known = withDevice { $0.domains.map(\.name) } + Half.allCases.map(\.rawValue)
    for name in survivors.domainNames.sorted() where !known.contains(name) {
      throw .refused("no domain '\(name)' on this phone; it has: \(known.joined(separator: " "))")
    }
  }

  private var halves: [Half: [String]] {
    Half.allCases.reduce(into: [:]) { $0[$1] = domains(of: $1) }
  }

  /// An armed fault is an event of the operating system, and its moment has come. Runs on a thread
  /// of the mount, while the operation is parked.
  func runEvent(of fault: FaultID) {
    guard let event = state.withLock({ $0.requests[fault]?.event }) else { return }
    do {
      try happen(event, waits: false)
    } catch {
      state.withLock { $0.eventFailures.append("\(error)") }
    }
  }
}

extension Survivors {
  fileprivate var domainNames: Set<String> {
    switch self {
    case .perDomain(let choices, let rest): Set(choices.keys).union(rest.domainNames)
    case .torn(_, _, let rest), .partial(_, let rest): rest.domainNames
    case .none, .issued, .all, .kept, .seeded: []
    }
  }
}

extension FaultRequest {
  /// The event of the operating system that this fault is.
  package var event: PhoneEvent? {
    switch kind {
    case .keychainReset: .keychainReset
    case .keystoreLoss: .keystoreLoss
    case .lock: .lock
    case .unlock: .unlock
    case .reboot: .reboot
    case .prewarm: .prewarm
    case .uninstall: .uninstall
    case .install: .install
    case .clearData: .clearData
    case .biometricChange: .biometricChange
    case .diskFull: .diskFull(freeBytes: values.freeBytes)
    case .diskFree: .diskFree
    default: nil
    }
  }

  var alteration: Alteration? {
    switch kind {
    case .bitFlip: .flipBit(path: values.path, byte: values.byte, bit: values.bit)
    case .truncate: .truncate(path: values.path, to: values.length)
    default: nil
    }
  }
}
