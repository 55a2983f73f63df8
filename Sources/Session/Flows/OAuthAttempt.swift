import JSON
package import Ports

/// A round trip through the browser that may come back later than the app waits, or to another launch
/// of it. Kept in plain storage: it is worth nothing without the verifier.
struct OAuthAttempt: Equatable {
  static let name = "makerkit.auth.oauth-attempt"
  /// After that the server has forgotten it.
  static let lifetimeMs: Int64 = 300_000

  /// Which verifier belongs to it, as the client says.
  var flow: String?
  var startedAtMs: Int64

  var text: String {
    let flow: JSONValue = flow.map(JSONValue.text) ?? .null
    return JSONWriter.text(of: ["flow": flow, "startedAtMs": .integer(startedAtMs)])
  }

  init(flow: String?, startedAtMs: Int64) {
    self.flow = flow
    self.startedAtMs = startedAtMs
  }

  init?(_ text: String) {
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONReader.read(text)
    } catch {
      return nil
    }
    guard let started = node.value["startedAtMs"]?.integer else { return nil }
    self.init(flow: node.value["flow"]?.text, startedAtMs: started)
  }
}

/// Where the attempt is kept: one at a time, and used once. One for the whole app.
package final class OAuthAttempts {
  private enum Known {
    /// What a former launch has left, if anything, has not been looked at.
    case nothing
    case attempt(OAuthAttempt)
    case none
  }

  private let storage: any PlainStorage
  private let console: any Console
  private var known = Known.nothing

  package init(_ storage: any PlainStorage, _ console: any Console) {
    self.storage = storage
    self.console = console
  }

  /// Keeps an attempt; also when it cannot be stored, for this launch.
  func keep(_ attempt: OAuthAttempt) async {
    known = .attempt(attempt)
    do throws(NativeError) {
      try await storage.setItem(OAuthAttempt.name, to: attempt.text)
    } catch {
      console.warn("the sign-in attempt cannot be stored: \(error)")
    }
  }

  /// Hands over the attempt if it is young enough, and forgets it.
  func take(nowMs: Int64) async -> OAuthAttempt? {
    let known = known
    self.known = .none
    var found: OAuthAttempt?
    do throws(NativeError) {
      switch known {
      case .none: return nil
      case .attempt(let attempt): found = attempt
      case .nothing: found = try await storage.item(OAuthAttempt.name).flatMap(OAuthAttempt.init)
      }
      try await storage.removeItem(OAuthAttempt.name)
    } catch {
      console.warn("the stored sign-in attempt is out of reach: \(error)")
    }
    guard let found else { return nil }
    return (0..<OAuthAttempt.lifetimeMs).contains(nowMs - found.startedAtMs) ? found : nil
  }
}
