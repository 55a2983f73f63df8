import Crypto
import JSON

/// What a page can do beyond being read: a script of ours with its rules, and the page's data for
/// other programs.
package struct PageScript {
  /// By which the page's policy knows the script.
  let digest: String
  private let data: JSONValue

  /// - Parameter data: What the page shows, as `--json` prints it.
  /// - Throws: `CryptoError` when the library lacks the digest.
  init(_ data: JSONValue) throws(CryptoError) {
    self.data = data
    digest = "sha256-\(Base64URL.encode(try sha256(Array(Self.script.utf8))))="
  }

  private static let script = String(decoding: PackageResources.report_js, as: UTF8.self)

  var style: Markup {
    .style(String(decoding: PackageResources.report_css, as: UTF8.self))
  }

  var elements: [Markup] { [.data(data, id: "data"), .script(Self.script)] }
}
