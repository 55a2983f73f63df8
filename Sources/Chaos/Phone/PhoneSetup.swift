package import Device
package import Phone

/// What a phone is like before anything happens to it.
package struct PhoneSetup: Sendable {
  package var settings = IOSSettings()
  /// The same settings as options for the phone's programs.
  package var options: [String] = []
  /// A profile for every domain, instead of the phone's own.
  package var profile: PersistenceProfile?
  package var capacityBytes = 64 << 20
  /// `nil`: the machine's clock and entropy. Else a seed for all that is drawn, and a clock that
  /// moves only by ``PhoneHost/advanceClock(byMs:)``.
  package var seed: UInt64?
  /// The virtual clock's start, milliseconds since 1970.
  package var clockStartMs: Int64 = 1_790_000_000_000

  package init() {}

  /// A phone as a scenario wants it.
  package init(_ settings: ScenarioSettings, seed: UInt64?) {
    self.seed = seed
    self.settings = settings.phone
    options = settings.phoneOptions
    profile = PersistenceProfile.named(settings[ScenarioSettings.profile])
  }

  /// The device for this phone, empty.
  package func makeDevice() -> StorageDevice {
    var setup = DeviceSetup()
    setup.capacityBytes = capacityBytes
    setup.startNs = clockStartMs * 1_000_000
    setup.domains = IOSLayout.domains.map { domain in
      DurabilityDomain(
        name: domain.name, prefix: domain.prefix,
        profile: profile ?? PersistenceProfile.named(domain.profile) ?? .ordered)
    }
    if let profile { setup.restProfile = profile }
    return StorageDevice(setup)
  }
}
