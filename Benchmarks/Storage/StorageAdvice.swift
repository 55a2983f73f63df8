import Chaos
import Phone
import Session

/// What a session write costs the user, and which store costs more.
struct StorageAdvice {
  private let ledger: Ledger
  private let diskKind: String

  init(_ ledger: Ledger, _ diskKind: String) {
    self.ledger = ledger
    self.diskKind = diskKind
  }

  var text: String {
    let phones = PhoneKind.allCases.map(sentence)
    return "On the disk here (\(diskKind)), saving a session of 4 KiB costs the user "
      + phones.joined(separator: "; ") + "."
  }

  private func sentence(_ phone: PhoneKind) -> String {
    let recipe = cost(.recipe, phone)
    let others = StoreKind.all.filter { $0.name != StoreKind.recipe.name }.map { store in
      let other = cost(store, phone)
      return "\(store.name) \(difference(other.syncs - recipe.syncs)) and "
        + "\(FigureText.ratio(other.ns / recipe.ns)) x the time"
    }
    return "\(owner(of: phone)) \(syncs(recipe.syncs)) and "
      + "\(FigureText.value(recipe.ns, .nanoseconds)) with recipe: "
      + others.joined(separator: ", ")
  }

  private func owner(of phone: PhoneKind) -> String {
    switch phone {
    case .ios: "of an iPhone"
    case .android: "of an Android phone"
    }
  }

  private func cost(_ store: StoreKind, _ phone: PhoneKind) -> (syncs: Double, ns: Double) {
    let name = StorageRounds.name(.set, store, phone)
    let key = StorageRounds.key(StorageRounds.syncs, Tier.simulated.rawValue)
    let syncs = ledger[name, key].median
    return (syncs, ledger[name, DiskPlace.name].median)
  }

  private func difference(_ more: Double) -> String {
    if more == 0 { return "as many syncs" }
    return "\(syncs(more.magnitude)) \(more > 0 ? "more" : "fewer")"
  }

  private func syncs(_ count: Double) -> String {
    let number = count == count.rounded() ? String(Int(count)) : FigureText.significant(count)
    return "\(number) \(count == 1 ? "sync" : "syncs")"
  }
}
