package import Device
package import Phone

/// What a phone is like before anything happens to it.
package struct PhoneSetup: Sendable {
  package var kind = PhoneKind.ios
  /// The knobs that were turned, by name; the phone passes over those of others.
  package var chosen: [String: String] = [:]
  /// A profile for every domain, instead of the phone's own.
  package var profile: PersistenceProfile?
  package var capacityBytes = 64 << 20
  /// `nil`: the machine's clock and entropy. Else a seed for all that is drawn, and a clock that
  /// moves only by ``PhoneHost/advanceClock(byMs:)``.
  package var seed: UInt64?
  /// The virtual clock's start, milliseconds since 1970.
  package var clockStartMs: Int64 = 1_790_000_000_000
  /// Whether the device keeps all that is done to it; costs a copy of all bytes written.
  package var isRecorded = false

  package init() {}

  /// A phone as a scenario wants it.
  package init(_ kind: PhoneKind, _ settings: ScenarioSettings, seed: UInt64?) {
    self.kind = kind
    self.seed = seed
    chosen = settings.knobs
    profile = PersistenceProfile.named(settings[ScenarioSettings.profile])
  }

  /// The phone's programs get these: which phone it is, and its knobs.
  var options: [String] {
    ["--phone", kind.rawValue]
      + kind.knobs.flatMap { knob in chosen[knob.name].map { ["--\(knob.name)", $0] } ?? [] }
  }

  /// The device for a phone, empty.
  package func makeDevice(for phone: any PhoneModel) -> StorageDevice {
    var setup = DeviceSetup()
    setup.capacityBytes = capacityBytes
    setup.startNs = clockStartMs * 1_000_000
    setup.domains = phone.domains.map { domain in
      DurabilityDomain(
        name: domain.name, prefix: domain.prefix,
        profile: profile ?? PersistenceProfile.named(domain.profile) ?? .ordered)
    }
    if let profile { setup.restProfile = profile }
    var device = StorageDevice(setup)
    if isRecorded { device.recording = Recording() }
    return device
  }
}
