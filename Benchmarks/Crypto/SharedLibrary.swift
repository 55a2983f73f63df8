import Glibc

/// A library that the machine may have, opened at run time; never closed.
@safe struct SharedLibrary {
  private let handle: UnsafeMutableRawPointer
  let fileName: String

  /// Opens the first of these that there is; `nil` for none.
  init?(_ fileNames: [String]) {
    for fileName in fileNames {
      guard let handle = unsafe dlopen(fileName, RTLD_NOW | RTLD_LOCAL) else { continue }
      unsafe self.handle = handle
      self.fileName = fileName
      return
    }
    return nil
  }

  /// A function as it is declared in the library's header, which the type has to repeat.
  func function<Function>(_ name: String, as type: Function.Type) -> Function? {
    guard let address = unsafe dlsym(handle, name) else { return nil }
    return unsafe unsafeBitCast(address, to: type)
  }

  /// The address of a function that is handed on.
  func address(_ name: String) -> UnsafeMutableRawPointer? { unsafe dlsym(handle, name) }
}
