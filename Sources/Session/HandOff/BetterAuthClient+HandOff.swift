import JSON
import Ports
import Wire

extension BetterAuthClient {
  /// Whether the server offers passkeys; if it does not answer, its page will say.
  package func offersPasskeys() async -> Bool {
    do throws(BetterAuthError) {
      let methods = try await call("GET", "/mobile-handoff/methods")
      return methods?["passkey"] == .bool(true)
    } catch {
      return true
    }
  }

  /// Gets the session for a code that an address brought.
  func redeem(_ code: String, _ verifier: String) async throws(HandOffFailure) -> SetCookieHeader {
    let body: JSONValue = ["code": .text(code), "verifier": .text(verifier)]
    var headers = HTTPHeaders()
    headers["content-type"] = "application/json"
    headers["expo-origin"] = "\(setup.scheme)://"
    let request = HTTPRequest(
      "POST", BetterAuthSetup.basePath + "/mobile-handoff/redeem", headers: headers,
      body: JSONWriter.bytes(of: body))
    do throws(NetworkError) {
      let reply = try await ports.transport.send(request)
      guard reply.status == 200 else { throw NetworkError(message: "refused") }
      return SetCookieHeader(reply.headers.values(of: "set-cookie").joined(separator: ", "))
    } catch {
      throw .exchangeFailed
    }
  }

  /// Merges a session into the jar, makes sure that it is there, and says so.
  ///
  /// - Parameters:
  ///   - header: The cookies that came.
  ///   - isPast: Whether the jar is read and written past the layer that divides it (H-22).
  /// - Throws: ``HandOffFailure/cookieStoreFailed``; as far as writes succeed, the jar is as before.
  func takeOver(_ header: SetCookieHeader, past isPast: Bool) async throws(HandOffFailure) {
    let layer =
      isPast ? ChunkedStorage(ports.secure, .single, console: ports.console) : storage
    let failure: HandOffFailure? = await withJar { await self.replace(header, in: layer) }
    if let failure { throw failure }
    notify()
  }

  private func replace(
    _ header: SetCookieHeader, in layer: ChunkedStorage
  ) async -> HandOffFailure? {
    let name = setup.cookieItem
    do {
      let old = try await layer.item(name)
      let new = try merged(old, header).text
      await layer.setItem(name, to: new)
      let found = try await layer.item(name)
      if found == new { return nil }
      if found != old { await layer.restore(name, to: old) }
      return .cookieStoreFailed
    } catch BetterAuthError.jar {
      return .malformedCookie
    } catch {
      // Nothing was written, or what was written cannot be read.
      return .cookieStoreFailed
    }
  }
}
