/// A named moment in the life of a session store, independent of system calls.
///
/// `K` and `B` points are announced by the storage modules themselves, so that they fire for every
/// store; `S` points by the app around a save; `R` points around a recovery.
package enum LogicalPoint: String, CaseIterable, Sendable {
  case saveBegins = "S0"
  case saveAcknowledged = "S1"
  case beforeKey = "K0"
  case keyWritten = "K1"
  case beforeBlob = "B0"
  case blobWritten = "B1"
  case manifestWritten = "M1"
  case eventEmitted = "E1"
  case recoveryBegins = "R0"
  case recoveryEnds = "R1"
  /// Announced by the app around a page that it shows in the system's browser.
  case browserOpened = "W0"
  /// Announced by the service that owns the items, not by the app: an item is stored as a whole.
  case itemCommitted = "I1"

  /// The words that always stand beside the name: `K1 (key written)`.
  package var words: String {
    switch self {
    case .saveBegins: "save begins"
    case .saveAcknowledged: "save acknowledged"
    case .beforeKey: "before the key"
    case .keyWritten: "key written"
    case .beforeBlob: "before the blob"
    case .blobWritten: "blob written"
    case .manifestWritten: "manifest written"
    case .eventEmitted: "event emitted"
    case .recoveryBegins: "recovery begins"
    case .recoveryEnds: "recovery ends"
    case .browserOpened: "browser opened"
    case .itemCommitted: "key item committed"
    }
  }
}
