package import Ports

/// The phone's service in the process of its caller.
package final class NeighbouringService: SystemDaemon {
  private let service: any PhoneService

  package init(_ service: any PhoneService) { self.service = service }

  package func call(_ request: String) async throws(DaemonUnavailable) -> String {
    let reply = service.reply(to: request)
    service.finish()
    return reply.text
  }
}
