/// What is served below `/auth/v1`.
enum AuthRoute: String, CaseIterable {
  case token = "POST /token"
  case signUp = "POST /signup"
  case otp = "POST /otp"
  case magicLink = "POST /magiclink"
  case verify = "POST /verify"
  case followLink = "GET /verify"
  case recover = "POST /recover"
  case resend = "POST /resend"
  case readUser = "GET /user"
  case updateUser = "PUT /user"
  case reauthenticate = "GET /reauthenticate"
  case enrol = "POST /factors"
  case challenge = "POST /factors/*/challenge"
  case verifyFactor = "POST /factors/*/verify"
  case unenrol = "DELETE /factors/*"
  case signOut = "POST /logout"
  case authorize = "GET /authorize"
  case callback = "GET /callback"
  case postedCallback = "POST /callback"
  case settings = "GET /settings"
  case keys = "GET /.well-known/jwks.json"
  case health = "GET /health"
}

/// What is served below `/api/v1`.
enum ApplicationRoute: String, CaseIterable {
  case me = "GET /me"
  case sendCode = "POST /otp/send"
  case delete = "POST /me/delete"
  case invitations = "GET /me/invitations"
  case acceptInvitation = "POST /me/invitations/*/accept"
}
