import Chaos
import Linux

/// Faults that are injected over the control socket, each until it is acknowledged.
struct InjectionWork {
  /// A fault on the device alone: a bit of a file flips, and the kernel forgets the page.
  static let onDevice = "one bit flips"
  /// One for which the keychain's service is stopped, its files are removed, and it is started again.
  static let withService = "keychain reset"

  let name: String
  private let order: PhoneVerb
  private let phone: PhoneProcess

  static func onDevice(_ phone: PhoneProcess, path: String) -> InjectionWork {
    InjectionWork(
      name: onDevice,
      order: .inject(
        .init("bit-flip", parameters: ["path": path, "byte": "0", "bit": "0"])), phone: phone)
  }

  static func withService(_ phone: PhoneProcess) -> InjectionWork {
    InjectionWork(name: withService, order: .inject(.init("keychain-reset")), phone: phone)
  }

  /// Injects once.
  ///
  /// - Returns: Nanoseconds until the acknowledgement.
  func inject() throws -> Double {
    let start = Clocks.monotonicNs
    try phone.call(order)
    return Double(Clocks.monotonicNs - start)
  }
}
