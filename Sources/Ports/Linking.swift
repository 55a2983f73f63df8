/// What hands an address to the operating system, which picks an app for it: `Linking.openURL`.
package protocol Linking: AnyObject {
  func open(_ url: String) async throws(NativeError)
}
