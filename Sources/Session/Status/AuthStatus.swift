/// What every route guard reads first. There is no fifth value, and no way back to `loading`.
package enum AuthStatus: String, CaseIterable, Hashable, Sendable {
  case loading
  case authenticated
  case needsMFA = "needs-mfa"
  case unauthenticated
}
