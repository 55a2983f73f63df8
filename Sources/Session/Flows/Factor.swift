package import JSON

/// A second factor of the user, as lists show it.
package struct Factor: Equatable, Sendable {
  package var id: String
  package var name: String
  package var isVerified: Bool
  package var isTOTP: Bool

  /// Reads what the server says; `nil` without an id.
  package init?(_ json: JSONObject) {
    guard let id = json["id"]?.text else { return nil }
    self.id = id
    name = json["friendly_name"]?.text ?? ""
    isVerified = json["status"]?.text == "verified"
    isTOTP = json["factor_type"]?.text == "totp"
  }
}

/// The list of the settings: all factors, so that an unverified one can be deleted.
package final class FactorListFlow {
  package private(set) var factors: [Factor] = []
  package private(set) var attempt = Attempt()
  private let context: FlowContext

  package init(_ context: FlowContext) { self.context = context }

  package func load() async {
    attempt.begin()
    do throws(AuthError) {
      factors = try await context.auth.listFactors().compactMap(Factor.init)
      attempt.succeed()
    } catch {
      attempt.fail(context.alert(error))
    }
  }

  package func delete(_ factor: Factor) async {
    attempt.begin()
    do throws(AuthError) {
      try await context.auth.unenroll(factor: factor.id)
      factors.removeAll { $0.id == factor.id }
      attempt.succeed()
    } catch {
      attempt.fail(context.alert(error))
    }
  }
}
