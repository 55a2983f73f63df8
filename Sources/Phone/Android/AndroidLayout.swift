/// Where things are on an Android phone with one app.
package enum AndroidLayout {
  package static let package = "com.example.demo"
  /// The app's credential-encrypted data, for the first user.
  package static let data = "/data/user/0/\(package)"
  package static let preferences = "\(data)/shared_prefs"
  package static let databases = "\(data)/databases"
  package static let cache = "\(data)/cache"

  /// The preferences of expo-secure-store.
  package static var secureStore: String { "\(preferences)/SecureStore.xml" }
  /// The app's default preferences, where the oldest versions of expo-secure-store kept theirs.
  package static var defaultPreferences: String { "\(preferences)/\(package)_preferences.xml" }

  /// The database of AsyncStorage 1 and 2.
  package static var rkStorage: String { "\(databases)/RKStorage" }
  /// The database of the default export of AsyncStorage 3.
  package static var asyncStorage: String { "\(databases)/AsyncStorage" }
  /// The databases of storages that `createAsyncStorage(name)` makes, a directory for each.
  package static let scopedStorages = "\(databases)/async-storage/databases"

  package static func scopedStorage(_ name: String) -> String {
    "\(scopedStorages)/\(name)/\(name).sqlite"
  }

  /// Where keystore2 keeps its database: outside the app's data, for all apps.
  package static let keystoreDirectory = "/data/misc/keystore"
  package static var keystoreDatabase: String { "\(keystoreDirectory)/persistent.sqlite" }
  /// Stands for the secret inside the trusted environment that wraps all keys of this phone.
  package static let keyMintDirectory = "/data/vendor/keymint"
  package static var keyMintSecret: String { "\(keyMintDirectory)/device.key" }

  package static let domains = [
    StorageDomain(name: "keystore", half: .key, prefix: keystoreDirectory, profile: "f2fs"),
    StorageDomain(name: "preferences", half: .key, prefix: preferences, profile: "f2fs"),
    // With the cache, in which the upgrade to AsyncStorage 3 makes its copy.
    StorageDomain(name: "database", half: .blob, prefix: data, profile: "f2fs"),
  ]
}
