/// That a store has removed an item because nothing could ever have read it again.
package struct DurableHeal: Equatable, Sendable {
  package enum Reason: String, Sendable {
    /// There is a blob, and no key for it.
    case keyGone = "no key for the stored blob"
    /// There is a key, and no blob: what a reinstallation, a lost index or a sign-in that was
    /// killed leaves.
    case blobGone = "no blob for the stored key"
    /// The key does not open the blob, or is none.
    case notAuthentic = "the stored key does not open the blob"
  }

  package var item: String
  package var reason: Reason

  package init(item: String, reason: Reason) {
    self.item = item
    self.reason = reason
  }
}
