import Device
import Phone
import Session

/// A copy of a phone in memory, to see what would come of something: nothing of it reaches the phone,
/// no armed fault fires by it, and no held operation stops it.
final class PhoneTwin {
  private let device: StorageDevice
  private let standing: SimulatedPhone.Standing
  private let phone: SimulatedPhone
  let before: Inventory

  /// - Throws: ``PhoneHostError`` when the copy does not start.
  init(_ device: StorageDevice, _ state: HostState, nowMs: Int64) throws(PhoneHostError) {
    var (device, state) = (device, state)
    device.forgetFaults()
    // What the copy draws shows nowhere.
    state.setup.seed = 0
    state.requests = [:]
    self.device = device
    standing = SimulatedPhone.Standing(
      state: state, nowMs: nowMs, lastProcess: 1, witness: nil)
    phone = try SimulatedPhone(state.setup)
    try phone.goOn(from: standing, with: device)
    before = try phone.inventory()
  }

  /// What would be stored after a power cut that takes as much as it can.
  ///
  /// - Throws: ``PhoneHostError`` when the phone would not come back.
  func afterWorstCut() throws(PhoneHostError) -> Inventory {
    try phone.goOn(from: standing, with: device)
    try phone.cutPower(.none)
    return try phone.inventory()
  }

  /// What a fault would remove, and what would remain.
  ///
  /// - Returns: The report, and what the app would find at its next start.
  /// - Throws: ``PhoneHostError/refused(_:)`` when the fault cannot happen now.
  func report(
    of request: FaultRequest, store: String
  ) throws(PhoneHostError) -> (report: InjectReport, start: AppReply) {
    try phone.goOn(from: standing, with: device)
    // The phone's own service has opened its database already: on a full disk this one could not do it
    // any more. But to open it makes it durable.
    if request.kind != .powerCut { _ = try phone.inventory() }
    let plan = try phone.happen(request)
    var report = InjectReport(fault: request.kind.rawValue, status: "forecast")
    report.phone = phone.kind.rawValue
    report.note(before: before.items, after: try phone.inventory().items)
    report.rule = plan?.reason ?? request.kind.rule
    return (report, startedApp(store))
  }

  /// What an app would find if it started now.
  ///
  /// - Throws: ``PhoneHostError`` when the copy does not start.
  func start(of store: String) throws(PhoneHostError) -> AppReply {
    try phone.goOn(from: standing, with: device)
    return startedApp(store)
  }

  private func startedApp(_ store: String) -> AppReply {
    do throws(PhoneHostError) {
      var launch = AppLaunch(store: store)
      launch.state = phone.launchState
      let app = try phone.start(launch, reaching: nil)
      defer { app.end() }
      return app.perform(["get"], atMs: phone.nowMs)
    } catch {
      return .ended("\(error)")
    }
  }
}
