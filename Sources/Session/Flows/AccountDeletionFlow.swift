import JSON

/// Deleting the account: a sensitive operation, confirmed by a code that comes by mail.
package final class AccountDeletionFlow {
  package private(set) var sending = Attempt()
  package private(set) var deletion = Attempt()
  /// Whether a code was asked for, so that its boxes are shown.
  package private(set) var isCodeSent = false
  package private(set) lazy var code = CodeForm(context) { [weak self] in await self?.delete($0) }
  private let context: FlowContext
  private let api: ApplicationAPI

  package init(_ context: FlowContext, _ api: ApplicationAPI) {
    self.context = context
    self.api = api
  }

  package func sendCode() async {
    sending.begin()
    do throws(AuthError) {
      _ = try await api.call("POST", "/otp/send")
      sending.succeed()
      isCodeSent = true
    } catch {
      sending.fail(context.alert(error))
    }
  }

  private func delete(_ token: String) async {
    deletion.begin()
    do throws(AuthError) {
      _ = try await api.call("POST", "/me/delete", ["otp": .text(token)])
      deletion.succeed()
      await context.provider.signOut()
    } catch {
      deletion.fail(context.alert(error))
    }
  }
}
