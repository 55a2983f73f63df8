package import Ports

/// A store whose app hears of what the system tells apps.
package protocol SystemListener: AnyObject {
  /// The person leaves the app, or comes back to it.
  func become(_ state: AppState) async throws(StoreError)

  /// Another app has opened an address of this one.
  func open(_ url: String) async throws(StoreError)
}

/// Where an app keeps its session: what a `storage` adapter of the Supabase client is.
///
/// Not `Sendable`: one client owns one store. Calls may interleave at every native-module call,
/// as they do in JavaScript.
package protocol SessionStore: AnyObject {
  /// The stored text, or `nil` when there is none, or when the store decided to say so.
  func item(_ name: String) async throws(StoreError) -> JavaScriptString?

  /// Returns when every part of the store has acknowledged its write.
  ///
  /// A throw says that one did not; parts written before it stay written.
  func setItem(_ name: String, to value: JavaScriptString) async throws(StoreError)

  /// Removes every part. Removing what is not there is no error.
  func removeItem(_ name: String) async throws(StoreError)
}
