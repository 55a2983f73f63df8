/// A generic password to be stored.
package struct SecItem: Equatable, Sendable {
  package var query: SecItemQuery
  /// `kSecAttrAccessible`
  package var accessibility: Accessibility
  /// `kSecValueData`
  package var data: [UInt8]

  package init(query: SecItemQuery, accessibility: Accessibility, data: [UInt8]) {
    self.query = query
    self.accessibility = accessibility
    self.data = data
  }
}
