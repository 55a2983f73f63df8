import Device
import Ports
import Session
import Simulation
import Zoo

/// One launch of the app of a story, in the virtual time of its world.
final class SessionApp {
  static let item = "sb-demo-auth-token"

  let number: ProcessNumber
  let process: SimulatedProcess
  private let app: ClientApp

  init(_ plan: SessionPlan, in world: SessionWorld) throws(PhoneHostError) {
    let (number, setup, launchCount) = try world.phone.beginLaunch()
    self.number = number
    let clock = world.deviceClock
    let box = world.phone.box
    process = world.simulator.process("app") { box.isAlive(number) }
    let modules = try world.phone.modules(for: number, in: process, clock, setup, launchCount)
    let settings = AppSettings(sessionItem: Self.item, sdk: plan.sdk, launch: launchCount)
    do {
      app = try ClientApp(
        settings.client(plan.profile), KnownStores.known(plan.store), on: modules.ports,
        settings.store, in: process,
        ClientNetwork(
          transport: world.network.transport(of: process), clock: clock,
          entropy: SeededEntropy(seed: plan.seed &+ UInt64(launchCount), stream: "auth")),
        announces: false)
    } catch let error as PhoneHostError {
      throw error
    } catch {
      throw .refused("\(error)")
    }
    app.isSeen = { [process] in !process.isGone }
    app.provider.onStep { [process, unowned world] input, _, _ in
      guard !process.isGone, case .event(.signedOut, _) = input else { return }
      world.facts.end?.signOutCount += 1
    }
    process.spawn("start") { [app] in app.start() }
  }

  var client: AuthClient { app.client }
  var provider: AuthProvider { app.provider }
  var navigator: Navigator { app.navigator }
  var context: FlowContext { app.context }
  var frame: AuthFrame { app.frame }
  var violations: [StatusInvariants.Violation] { app.violations }
  var screen: AnyObject? {
    get { app.screen }
    set { app.screen = newValue }
  }

  func become(_ state: AppState) { app.become(state) }
}
