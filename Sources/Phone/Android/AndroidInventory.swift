import Ports

/// Takes stock of an Android phone's two halves, without changing anything.
enum AndroidInventory {
  /// The rows of all databases of AsyncStorage, and the state of each.
  ///
  /// Each database is opened as the next launch opens it, so `files` has to lead SQLite to a copy.
  /// After an update to 3.x an item may be there three times: in `RKStorage`, and in the new and the
  /// old table of `AsyncStorage`.
  /// The database of `version` comes first.
  static func blobs(
    files: any FileSystem, version: AsyncStorageVersion
  ) -> (blobs: [Inventory.BlobItem], indexes: [Inventory.Index]) {
    var inventory = DatabaseInventory()
    for part in order(version) {
      switch part {
      case .two:
        inventory.add(AndroidLayout.rkStorage, tables: [RKStorageModule.table], files)
      case .three:
        inventory.add(
          AndroidLayout.asyncStorage, tables: [RoomStorageModule.table, RKStorageModule.table],
          files)
      case .threeScoped:
        inventory.addScoped(below: AndroidLayout.scopedStorages, files)
      }
    }
    return (inventory.blobs, inventory.indexes)
  }

  private static func order(_ first: AsyncStorageVersion) -> [AsyncStorageVersion] {
    [first] + AsyncStorageVersion.allCases.filter { $0 != first }
  }
}
