import Glibc

extension Files {
  /// Removes a folder that is empty and in no use; any other is left as it is.
  package static func removeIfEmpty(_ folder: String) {
    _ = unsafe rmdir(folder)
  }
}
