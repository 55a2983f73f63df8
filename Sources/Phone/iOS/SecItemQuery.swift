/// What picks a generic password: the attributes that expo-secure-store puts into a query.
package struct SecItemQuery: Equatable, Sendable {
  /// `kSecAttrAccount`
  package var account: String
  /// `kSecAttrService`
  package var service: String
  /// `kSecAttrGeneric`
  package var generic: String
  /// `kSecAttrAccessGroup`; the service takes the app's own when it is left out, here it is given.
  package var accessGroup: String

  package init(account: String, service: String, generic: String, accessGroup: String) {
    self.account = account
    self.service = service
    self.generic = generic
    self.accessGroup = accessGroup
  }
}
