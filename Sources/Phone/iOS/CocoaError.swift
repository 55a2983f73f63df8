import Ports

/// An `NSError` of Foundation's file calls, as AsyncStorage puts it into its messages.
///
/// The codes are Foundation's for the Linux error number beneath; the `UserInfo` part, which holds
/// paths and addresses, is left out.
struct CocoaError: Error, Equatable {
  var code: Int
  var text: String

  static func reading(_ path: String, _ error: FileError) -> CocoaError {
    let name = Path.name(of: path)
    switch error.code {
    case FileError.notPermitted, FileError.noAccess:
      return CocoaError(
        code: 257,
        text: "The file “\(name)” couldn’t be opened because you don’t have permission to view it.")
    case FileError.noEntry:
      return CocoaError(
        code: 260, text: "The file “\(name)” couldn’t be opened because there is no such file.")
    default:
      return CocoaError(code: 256, text: "The file “\(name)” couldn’t be opened.")
    }
  }

  /// Bytes that are not text in the encoding that was guessed.
  static func wrongFormat(_ path: String) -> CocoaError {
    CocoaError(
      code: 259,
      text: "The file “\(Path.name(of: path))” couldn’t be opened because it isn’t in the correct "
        + "format.")
  }

  static func writing(_ path: String, _ error: FileError) -> CocoaError {
    let name = Path.name(of: path)
    let folder = Path.name(of: Path.directory(of: path))
    switch error.code {
    case FileError.noSpace, quotaExceeded:
      return CocoaError(
        code: 640,
        text: "You can’t save the file “\(name)” because the volume “Data” is out of space.")
    case FileError.notPermitted, FileError.noAccess:
      return CocoaError(
        code: 513,
        text: "You don’t have permission to save the file “\(name)” in the folder “\(folder)”.")
    case FileError.noEntry:
      return CocoaError(code: 4, text: "The folder “\(name)” doesn’t exist.")
    case readOnlyVolume:
      return CocoaError(
        code: 642,
        text: "You can’t save the file “\(name)” because the volume “Data” is read only.")
    default:
      return CocoaError(
        code: 512, text: "The file “\(name)” couldn’t be saved in the folder “\(folder)”.")
    }
  }

  /// What `-[NSError description]` begins with.
  var description: String { "Error Domain=NSCocoaErrorDomain Code=\(code) \"\(text)\"" }

  private static let readOnlyVolume: Int32 = 30
  private static let quotaExceeded: Int32 = 122
}
