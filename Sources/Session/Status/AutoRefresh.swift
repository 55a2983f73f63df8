package import Ports

/// Ties the client's refresh ticker to the app being in front: started when it becomes active,
/// stopped by any other state.
package final class AutoRefresh {
  private let auth: any AuthCalls
  private let spawner: any Spawner

  package init(_ auth: any AuthCalls, _ spawner: any Spawner) {
    self.auth = auth
    self.spawner = spawner
  }

  package func follow(_ state: AppState) {
    let auth = auth
    switch state {
    case .active: spawner.spawn("start auto refresh") { await auth.startAutoRefresh() }
    case .inactive, .background:
      spawner.spawn("stop auto refresh") { await auth.stopAutoRefresh() }
    }
  }
}
