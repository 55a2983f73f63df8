/// Settings of AsyncStorage on iOS.
package struct AsyncStorageSettings: Equatable, Sendable {
  package var version = AsyncStorageVersion.two

  /// `RCTAsyncStorageExcludeFromBackup` in the app's Info.plist, which is YES by default. The
  /// flag is a setting and not an attribute of the directory, so the gap that `clear()` leaves
  /// until the next launch is not modelled.
  package var excludesFromBackup = true

  /// Where the atomic write puts its temporary file. Which one sandboxed apps take is not known.
  package var temporaryFile = TemporaryFile.sibling

  /// Whether an atomic write syncs its temporary file; it is not known for old versions of iOS.
  package var syncsFiles = true

  /// The name that the app gives to `createAsyncStorage`.
  package var scopeName = "app"

  /// The process number in the name of temporary files.
  package var processNumber: Int32 = 1

  package enum TemporaryFile: String, CaseIterable, Sendable {
    /// `.dat.nosync<PID>.XXXXXX` beside the target.
    case sibling
    /// In a directory of its own under the container's `tmp`.
    case itemReplacement = "item-replacement"
  }

  package init() {}
}
