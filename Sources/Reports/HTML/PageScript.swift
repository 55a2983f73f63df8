import Crypto

/// What a page can do beyond being read: a script of ours with its rules.
struct PageScript {
  /// By which the page's policy knows the script.
  let digest: String

  /// - Throws: `CryptoError` when the library lacks the digest.
  init() throws(CryptoError) {
    digest = "sha256-\(Base64URL.encode(try sha256(Array(Self.script.utf8))))="
  }

  private static let script = String(decoding: PackageResources.report_js, as: UTF8.self)

  var style: Markup {
    .style(String(decoding: PackageResources.report_css, as: UTF8.self))
  }

  var element: Markup { .script(Self.script) }
}
