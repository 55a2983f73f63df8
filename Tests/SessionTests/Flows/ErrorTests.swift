import Ports
import Session
import Testing

@Suite struct `An error's key` {
  // R-ERR-1, R-ERR-2, R-ERR-3, R-ERR-4
  @Test func `is found in one order`() {
    let table: [(Thrown, String)] = [
      (.nothing, "errors.default"),
      (.error(code: "otp_expired", message: "Token has expired"), "errors.otp_expired"),
      (.error(code: "", message: "Token has expired"), "errors.Token has expired"),
      (.error(code: nil, message: "Token has expired"), "errors.Token has expired"),
      (.error(code: nil, message: ""), "errors.default"),
      (.error(code: "", message: ""), "errors.default"),
      (.text("plain"), "errors.plain"), (.text(""), "errors.default"),
      (.other, "errors.default"),
    ]
    for (thrown, key) in table { #expect(ErrorMapper.key(thrown) == key, "\(thrown)") }
  }

  // R-ERR-1, R-ERR-11
  @Test func `of the client's errors is their code, or else their message`() {
    let table: [(AuthError, String)] = [
      (.refused("same_password", status: 422), "errors.same_password"),
      (.api(message: "old server", status: 400, code: nil), "errors.old server"),
      (.weakPassword(message: "weak", status: 422, reasons: ["length"]), "errors.weak_password"),
      (.offline, "errors.Network request failed"),
      (.unknown(message: "<html>"), "errors.<html>"),
      (.sessionMissing, "errors.Auth session missing!"),
      (.verifierMissing, "errors.pkce_code_verifier_not_found"),
      (.broken, "errors.keychain locked"), (.listener("boom"), "errors.boom"),
    ]
    for (error, key) in table { #expect(AuthAlert(error, .seed).key == key, "\(error)") }
  }
}

@Suite struct `The catalogue of errors` {
  // R-ERR-5
  @Test func `knows messages beside codes`() {
    let catalogue = ErrorCatalogue(.seed)
    #expect(
      catalogue.text("errors.Invalid login credentials")
        == catalogue.text("errors.invalid_credentials"))
    #expect(catalogue.text("errors.invalid_credentials") != ErrorCatalogue.defaultText)
  }

  // R-ERR-6, R-ERR-11
  @Test(arguments: AppProfile.allCases)
  func `gives a generic text for what it does not know`(profile: AppProfile) {
    for error in [AuthError.refused("bad_json"), .offline, .unknown(message: "<html>")] {
      let alert = AuthAlert(error, profile)
      #expect(alert.text == ErrorCatalogue.defaultText)
      #expect(!alert.text.contains(alert.key))
    }
  }

  // R-ERR-7, R-ERR-8
  @Test func `lists what a weak password lacks, as the server says`() {
    let reasons = ["length", "characters", "pwned"]
    let alert = AuthAlert(.weakPassword(message: "weak", status: 422, reasons: reasons), .seed)
    #expect(alert.reasons == reasons)
    #expect(AuthAlert(.refused("same_password"), .seed).reasons.isEmpty)
  }

  // R-ERR-8, H-21
  @Test func `has no words for a password over 72 bytes in seed, and some in hardened`() {
    for profile in AppProfile.allCases {
      let text = AuthAlert(.refused("validation_failed"), profile).text
      #expect((text == ErrorCatalogue.defaultText) == (profile == .seed))
    }
  }

  // R-ERR-10
  @Test func `has one addition and one override with its reason`() {
    let catalogue = ErrorCatalogue(.seed)
    #expect(catalogue.text("errors.mfa_verification_failed") != ErrorCatalogue.defaultText)
    #expect(catalogue.text("errors.otp_expired") != ErrorCatalogue.defaultText)
    #expect(ErrorCatalogue.overrides["errors.otp_expired"]?.why.isEmpty == false)
  }
}
