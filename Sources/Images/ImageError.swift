import SQLite

/// Why an image file cannot be used. The file is as it was before.
package enum ImageError: Error, Equatable, Sendable {
  /// Something else: no SQLite database, or one of another program.
  case notAnImage(path: String)
  case newerFormat(path: String, found: Int, known: Int)
  /// An image whose content contradicts itself.
  case damaged(path: String, reason: String)
  case cannotOpen(path: String, reason: String)
  /// The new state was not stored; the file holds the one before.
  case cannotWrite(path: String, reason: String)

  /// What a failed read means.
  init(reading path: String, _ error: DatabaseError) {
    self =
      switch error.code {
      case .notADatabase: .notAnImage(path: path)
      case .corrupt: .damaged(path: path, reason: error.message)
      case .busy, .locked: .cannotOpen(path: path, reason: "another process uses it")
      default: .cannotOpen(path: path, reason: error.message)
      }
  }

  /// What a failed write means.
  init(writing path: String, _ error: DatabaseError) {
    self =
      switch error.code {
      case .notADatabase: .notAnImage(path: path)
      case .corrupt: .damaged(path: path, reason: error.message)
      case .busy, .locked: .cannotWrite(path: path, reason: "another process uses it")
      case .full: .cannotWrite(path: path, reason: "no space left")
      default: .cannotWrite(path: path, reason: error.message)
      }
  }
}

extension ImageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notAnImage(let path): "not an image of the lab: \(path); choose another file"
    case .newerFormat(let path, let found, let known):
      "image format \(found) is newer than \(known), which this lab knows: \(path); use a newer lab"
    case .damaged(let path, let reason): "damaged image: \(path): \(reason)"
    case .cannotOpen(let path, let reason): "cannot open image: \(path): \(reason)"
    case .cannotWrite(let path, let reason): "cannot write image: \(path): \(reason)"
    }
  }
}
