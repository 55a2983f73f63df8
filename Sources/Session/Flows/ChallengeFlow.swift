/// The screen of the second factor. Nothing can be sent again: the code is made on the device.
package final class ChallengeFlow {
  package enum Step: Equatable, Sendable {
    case loading
    /// None, or more than one: the person picks. Signing out is always possible.
    case picker([Factor])
    case entry(Factor)
    /// The factors could not be fetched. In the profile `seed` the person is signed out then.
    case unavailable
  }

  package private(set) var step = Step.loading
  package private(set) var attempt = Attempt()
  package private(set) lazy var code = CodeForm(context) { [weak self] in await self?.verify($0) }
  private let context: FlowContext
  private let next: ReturnRoute?

  /// - Parameters:
  ///   - context: What the screens share.
  ///   - next: The values of the route's parameter, as they came.
  package init(_ context: FlowContext, next: [String] = []) {
    self.context = context
    self.next = ReturnRoute(parameter: next)
  }

  package func load() async {
    step = .loading
    do throws(AuthError) {
      let factors = try await context.auth.listFactors().compactMap(Factor.init)
        .filter { $0.isTOTP && $0.isVerified }
      attempt.succeed()
      if let only = factors.first, factors.count == 1 {
        step = .entry(only)
      } else {
        step = .picker(factors)
      }
    } catch {
      attempt.fail(context.alert(error))
      step = .unavailable
      if context.profile == .seed { await context.provider.signOut() }
    }
  }

  package func pick(_ factor: Factor) { step = .entry(factor) }

  package func signOut() async { await context.provider.signOut() }

  private func verify(_ token: String) async {
    guard case .entry(let factor) = step else { return }
    attempt.begin()
    do throws(AuthError) {
      try await context.auth.challengeAndVerify(factor: factor.id, code: token)
      // Before anybody reads the levels from the session.
      _ = try await context.auth.refreshSession()
      attempt.succeed()
      if let next { context.navigator.go(to: next.route, by: .flow(.stepUpDone)) }
    } catch {
      attempt.fail(context.alert(error))
    }
  }
}
