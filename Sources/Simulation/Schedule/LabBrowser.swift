package import Ports

/// The phone's browser: the lab has it, outside the app, so that it outlives the app's end.
///
/// A page that is shown is told to the lab (``path``), and the point W0 is announced. The lab answers
/// with the address that leads back, or with none when the person has closed the sheet.
package final class LabBrowser: Browser {
  /// Where the lab takes pages, as the body of a POST.
  package static let path = "/lab/browser"

  private let transport: any HTTPTransport
  private let trace: any TracePoint

  package init(_ transport: any HTTPTransport, _ trace: any TracePoint) {
    self.transport = transport
    self.trace = trace
  }

  package func openAuthSession(
    _ url: String, redirect: String
  ) async throws(NativeError) -> BrowserResult {
    _ = try await tell("\(Self.path)?shown", url)
    trace.reach(.browserOpened)
    let address = try await tell("\(Self.path)?finished", url)
    return address.isEmpty ? .cancel : .success(address)
  }

  private func tell(_ target: String, _ url: String) async throws(NativeError) -> String {
    do throws(NetworkError) {
      let reply = try await transport.send(HTTPRequest("POST", target, body: Array(url.utf8)))
      return String(decoding: reply.body, as: UTF8.self)
    } catch {
      throw NativeError(message: error.message)
    }
  }
}
