package import JSON
package import Ports

/// A phone with one app: what its system knows, and what its events do.
///
/// The value holds no file: events give steps for the lab to carry out.
package protocol PhoneModel: Sendable {
  var kind: PhoneKind { get }
  var lockState: LockState { get }
  var isInstalled: Bool { get }
  /// The backups that were taken, by name, and the halves in each.
  var snapshots: [String: Set<Half>] { get set }
  /// The parts of the storage that a power cut may leave at points of their own.
  var domains: [StorageDomain] { get }
  /// The paths that the lock state closes.
  var sealedPaths: [String] { get }
  /// Why the system does not start the app now; `nil` when it does.
  var launchProblem: String? { get }
  /// What the system knows, for an image file: see ``PhoneKind/phone(stored:_:)``.
  var stored: JSONValue { get }

  /// The steps that make an empty device this phone.
  func setUp(entropy: any Entropy) -> [PhoneEffect]

  /// What an event does to the phone as it is now; the phone is afterwards as after it.
  ///
  /// - Throws: ``PhoneEventError``; the phone is as before.
  mutating func plan(
    for event: PhoneEvent, entropy: any Entropy
  ) throws(PhoneEventError) -> PhonePlan

  /// Whether a stored blob can be read again, as long as it is.
  func canRead(_ blob: Inventory.BlobItem) -> Bool

  /// Turns knobs of a phone that is in use, as an update of the app or its system does. Names that
  /// the phone does not have are passed over.
  ///
  /// - Returns: What makes the new settings hold from here on; no steps where they do by themselves.
  /// - Throws: ``KnobError``.
  mutating func update(_ chosen: [String: String]) throws(KnobError) -> [PhoneEffect]

  /// The folder below which ``inventory(files:ask:)`` looks at files, and nowhere else.
  var inventoryFolder: String { get }

  /// The folders of the phone's service: nobody else opens a file below them, and it opens no other.
  var serviceFolders: [String] { get }

  /// What both halves hold.
  ///
  /// - Parameters:
  ///   - files: What is stored. Databases are opened, so it has to lead SQLite to a copy.
  ///   - readsOrphans: Whether files are read that nothing leads to; else they show without content.
  ///   - ask: Sends a request to the phone's service and gives its answer, or `nil` when there is none.
  /// - Returns: The inventory.
  func inventory(
    files: any FileSystem, readsOrphans: Bool, ask: (String) -> String?
  ) -> Inventory
}

extension PhoneModel {
  /// The whole of what both halves hold.
  package func inventory(files: any FileSystem, ask: (String) -> String?) -> Inventory {
    inventory(files: files, readsOrphans: true, ask: ask)
  }
}
