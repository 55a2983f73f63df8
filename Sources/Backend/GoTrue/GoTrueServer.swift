import Crypto
import JSON
package import Ports

/// A model of GoTrue, the auth server of Supabase, with the handlers of an application beside it.
///
/// Serves `/auth/v1` as the real one does, endpoint by endpoint and error by error; `/api/v1` for
/// the application that enforces aal2 on its own; `/fake-provider`, where a browser is sent to
/// sign in; and `/lab`, for those who test: the outbox. Requests are handled one
/// at a time and completely: what a reply says has been done when it is made, whether or not it
/// arrives. The same state, settings, clock, entropy and requests give the same replies.
///
/// Not modelled: telephone numbers, anonymous accounts, SAML, passkeys, administration, waits for
/// a lock (a fault stands for the errors that they end in).
package final class GoTrueServer: HTTPService {
  static let apiVersion = "2024-01-01"

  package var settings: GoTrueSettings
  package var state: GoTrueState
  package var faults = FaultPlan()
  let entropy: any Entropy
  private let clock: any WallClock

  /// - Parameters:
  ///   - settings: May be changed between requests, as by a new deployment.
  ///   - state: What an earlier server has left; `nil` is a new one.
  ///   - clock: The server's own, apart from the phone's.
  ///   - entropy: Where ids, codes, tokens and keys come from.
  package init(
    _ settings: GoTrueSettings = GoTrueSettings(), state: GoTrueState? = nil,
    clock: any WallClock, entropy: any Entropy
  ) {
    self.settings = settings
    self.clock = clock
    self.entropy = entropy
    if let state {
      self.state = state
    } else {
      self.state = GoTrueState()
      self.state.signingKey = Hexadecimal.encode(entropy.bytes(32))
    }
  }

  /// By the server's clock.
  package var nowMs: Int64 { clock.nowMs + state.skewMs }

  package func answer(_ request: HTTPRequest, from address: String) -> ServerReply {
    let call: GoTrueCall
    do throws(GoTrueError) {
      call = try GoTrueCall(request, from: address)
    } catch {
      return ServerReply(response(error, versioned: GoTrueCall.isVersioned(request)))
    }
    return answer(call, call.place.map { faults.faults(meeting: $0) } ?? [])
  }

  private func answer(_ call: GoTrueCall, _ met: [FaultPlan.Entry]) -> ServerReply {
    var call = call
    return reply(
      meeting: met, prepare: { prepare($0, &call) },
      handle: {
        call.nowMs = nowMs
        return reply(to: call)
      },
      change: { change(&$0, by: $1, versioned: call.isVersioned) })
  }

  private func reply(to call: GoTrueCall) -> ServerReply {
    let before = state
    do throws(GoTrueError) {
      try limit(call)
      let answer = try handle(call)
      var reply = ServerReply(response(answer, call))
      if case .silence = answer { reply.delivery = .never }
      return reply
    } catch {
      if !error.keepsChanges { undo(to: before) }
      return ServerReply(response(error, versioned: call.isVersioned))
    }
  }

  /// A refused request changes nothing but what the limits count.
  private func undo(to before: GoTrueState) {
    let buckets = state.buckets
    state = before
    state.buckets = buckets
  }

  private func handle(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    switch call.area {
    case .auth: try handleAuth(call)
    case .application: try handleApplication(call)
    case .provider: try handleProvider(call)
    case .lab: try handleLab(call)
    }
  }

  private func handleAuth(_ call: GoTrueCall) throws(GoTrueError) -> GoTrueAnswer {
    switch AuthRoute(rawValue: call.route) {
    case .token: try token(call)
    case .signUp: try signUp(call)
    case .otp, .magicLink: try sendMagicLink(call)
    case .verify: try verifyCode(call)
    case .followLink: try followLink(call)
    case .recover: try recover(call)
    case .resend: try resend(call)
    case .readUser: try readUser(call)
    case .updateUser: try updateUser(call)
    case .reauthenticate: try reauthenticate(call)
    case .enrol: try enrol(call)
    case .challenge: try challenge(call)
    case .verifyFactor: try verifyFactor(call)
    case .unenrol: try unenrol(call)
    case .signOut: try signOut(call)
    case .authorize: try authorize(call)
    case .callback, .postedCallback: try callback(call)
    case .settings: publicSettings()
    // Tokens are signed with a shared secret, which has no public half.
    case .keys: .json(["keys": []])
    case .health: .json(["name": "GoTrue", "version": "lab"])
    case nil: throw .unknownRoute
    }
  }

  private func publicSettings() -> GoTrueAnswer {
    let external = JSONObject(
      (settings.providers + (settings.allowsEmail ? ["email"] : [])).map {
        .init(key: $0, value: true)
      })
    return .json([
      "external": .object(external), "disable_signup": .bool(!settings.allowsSignUp),
      "mailer_autoconfirm": .bool(!settings.confirmsEmail),
    ])
  }
}

// MARK: - Replies

extension GoTrueServer {
  private func response(_ answer: GoTrueAnswer, _ call: GoTrueCall) -> HTTPResponse {
    switch answer {
    case .json(let value, let status):
      return json(status, value, versioned: call.isVersioned)
    case .redirect(let target, let status):
      var response = HTTPResponse(status)
      response.headers["Location"] = target
      return response
    case .page(let html):
      var response = HTTPResponse(200, body: Array(html.utf8))
      response.headers["Content-Type"] = "text/html; charset=utf-8"
      return response
    case .empty, .silence:
      return HTTPResponse(204)
    }
  }

  func response(_ error: GoTrueError, versioned: Bool) -> HTTPResponse {
    if case .unknownRoute = error {
      var response = HTTPResponse(404, body: Array(error.message.utf8))
      response.headers["Content-Type"] = "text/plain; charset=utf-8"
      return response
    }
    let body = JSONValue.object(error.body(versioned: versioned))
    var response = json(error.status, body, versioned: versioned)
    response.headers["x-sb-error-code"] = error.code?.rawValue
    return response
  }

  private func json(_ status: Int, _ value: JSONValue, versioned: Bool) -> HTTPResponse {
    var response = HTTPResponse(status, body: JSONWriter.bytes(of: value))
    response.headers["Content-Type"] = "application/json"
    if versioned { response.headers["X-Supabase-Api-Version"] = Self.apiVersion }
    return response
  }
}

// MARK: - Limits

extension GoTrueServer {
  /// - Throws: `over_request_rate_limit`.
  private func limit(_ call: GoTrueCall) throws(GoTrueError) {
    guard settings.limitsAddresses, call.area == .auth else { return }
    let limit: RateLimit
    switch call.route {
    case "POST /token": limit = settings.tokenLimit
    case "POST /verify", "GET /verify": limit = settings.verifyLimit
    case "POST /otp", "POST /magiclink", "POST /recover", "POST /resend", "POST /signup",
      "PUT /user":
      limit = settings.formLimit
    case "POST /factors/*/challenge", "POST /factors/*/verify": limit = settings.factorLimit
    default: return
    }
    let path = call.route.drop { $0 != " " }.dropFirst()
    guard take(limit, "\(path) \(call.address)", at: call.nowMs) else {
      throw .error(429, .overRequestRateLimit, "Request rate limit reached")
    }
  }

  /// Takes a token from the bucket of a name.
  func take(_ limit: RateLimit, _ name: String, at nowMs: Int64) -> Bool {
    if let index = state.buckets.firstIndex(where: { $0.name == name }) {
      return state.buckets[index].take(limit, at: nowMs)
    }
    var bucket = RateBucket(name, limit, at: nowMs)
    defer { state.buckets.append(bucket) }
    return bucket.take(limit, at: nowMs)
  }
}
