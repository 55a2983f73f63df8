import Glibc

/// An open folder, and where its reader is.
@safe final class Listing {
  private let directory: OpaquePointer
  /// Why the last names could not be read; 0 if they could.
  private(set) var error: Int32 = 0

  /// Takes over a descriptor. `nil` if it is none of a folder; `errno` says why.
  init?(of number: Int32) {
    guard number >= 0 else { return nil }
    guard let opened = unsafe fdopendir(number) else {
      let code = errno
      close(number)
      errno = code
      return nil
    }
    unsafe directory = opened
  }

  deinit {
    unsafe closedir(directory)
  }

  var place: Int { unsafe telldir(directory) }
  func go(to place: Int) { unsafe seekdir(directory, place) }
  func rewind() { unsafe rewinddir(directory) }

  /// The next names, until the end or so many.
  func rest(_ count: Int = .max) -> [String] {
    var names: [String] = []
    errno = 0
    while names.count < count, let entry = unsafe readdir(directory) {
      unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        names.append(unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
      }
      errno = 0
    }
    error = errno
    return names
  }
}
