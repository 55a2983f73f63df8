/// What a file system and its drive promise about a power cut: which changes a sync makes durable,
/// and in which combinations the others may survive.
///
/// Every state that a profile allows has a reason on a real system, given in ``reason``.
package struct PersistenceProfile: Equatable, Sendable {
  package let name: String
  package let reason: String

  let durability: Durability
  let syncReach: SyncReach
  /// Whether a sync only hands the data to the drive, which may still lose it.
  let syncIssuesOnly: Bool
  /// Whether names, lengths and attributes survive in the order in which they were changed.
  package let namesInOrder: Bool
  /// Whether a grown length survives only together with the data that fills it.
  let dataBeforeSize: Bool
  let keepsItemsWhole: Bool

  enum Durability: Sendable { case immediate, bySync }

  /// What `fsync(2)` of a file covers.
  enum SyncReach: Sendable {
    case nothing
    /// Content, length and attributes.
    case file
    /// The same, and the names that lead to it.
    case fileAndName
    /// The file, and every name, length and attribute of the domain that was pending, with the data
    /// that the lengths need.
    case journal
  }

  /// Whether a sync reaches names too, all those of its domain at once.
  var commitsJournal: Bool { syncReach == .journal || syncReach == .fileAndName }

  /// Whether a sync makes anything durable.
  var syncPersists: Bool { syncReach != .nothing && !syncIssuesOnly }

  init(
    _ name: String, _ reason: String, durability: Durability = .bySync, syncReach: SyncReach,
    syncIssuesOnly: Bool = false, namesInOrder: Bool, dataBeforeSize: Bool,
    keepsItemsWhole: Bool = false
  ) {
    self.name = name
    self.reason = reason
    self.durability = durability
    self.syncReach = syncReach
    self.syncIssuesOnly = syncIssuesOnly
    self.namesInOrder = namesInOrder
    self.dataBeforeSize = dataBeforeSize
    self.keepsItemsWhole = keepsItemsWhole
  }

  package static let strict = PersistenceProfile(
    "strict", "every operation is durable when it returns, in order: an ideal device, as a control",
    durability: .immediate, syncReach: .journal, namesInOrder: true, dataBeforeSize: true)

  package static let ordered = PersistenceProfile(
    "ordered",
    "ext4, data=ordered: one journal keeps names, lengths and attributes in order, a grown length "
      + "never shows old blocks, and fsync of any file commits the whole journal",
    syncReach: .journal, namesInOrder: true, dataBeforeSize: true)

  package static let f2fs = PersistenceProfile(
    "f2fs",
    "the last checkpoint, rolled forward by the files synced since: fsync covers the file and a "
      + "new name; a renamed or linked file forces a checkpoint",
    syncReach: .fileAndName, namesInOrder: true, dataBeforeSize: true)

  package static let apfs = PersistenceProfile(
    "apfs",
    "fsync hands the data to the drive without a barrier (only F_FULLFSYNC waits for the medium), "
      + "so synced data may be lost; checkpoints keep names in order",
    syncReach: .file, syncIssuesOnly: true, namesInOrder: true, dataBeforeSize: true)

  package static let posixWeak = PersistenceProfile(
    "posix-weak",
    "all that POSIX promises: what was not synced may be lost, or survive in any combination; a "
      + "name survives only by a sync of its directory",
    syncReach: .file, namesInOrder: false, dataBeforeSize: false)

  package static let atomicItem = PersistenceProfile(
    "atomic-item",
    "a store that commits item by item: an item survives whole or not at all, in order, and a "
      + "sync makes all earlier items durable",
    syncReach: .journal, namesInOrder: true, dataBeforeSize: true, keepsItemsWhole: true)

  package static let fsyncLies = PersistenceProfile(
    "fsync-lies",
    "a drive that reports a sync done and does nothing; any combination of changes may survive",
    syncReach: .nothing, namesInOrder: false, dataBeforeSize: false)

  /// Every profile, weakest last.
  package static let all = [strict, atomicItem, ordered, f2fs, apfs, posixWeak, fsyncLies]

  package static func named(_ name: String) -> PersistenceProfile? {
    all.first { $0.name == name }
  }
}

/// A part of the device with a persistence profile of its own, such as the keychain's files.
package struct DurabilityDomain: Equatable, Sendable {
  package let name: String
  /// A path on the device, in which `*` stands for any one folder. The domain holds that path and
  /// everything below it.
  package let prefix: String
  package let profile: PersistenceProfile

  package init(name: String, prefix: String, profile: PersistenceProfile) {
    self.name = name
    self.prefix = prefix
    self.profile = profile
  }

  package func covers(_ path: String) -> Bool {
    var rest = path.utf8[...]
    for byte in prefix.utf8 {
      if byte == UInt8(ascii: "*") {
        rest = rest.drop { $0 != UInt8(ascii: "/") }
      } else {
        guard rest.popFirst() == byte else { return false }
      }
    }
    return rest.isEmpty || prefix.hasSuffix("/") || rest.first == UInt8(ascii: "/")
  }
}
