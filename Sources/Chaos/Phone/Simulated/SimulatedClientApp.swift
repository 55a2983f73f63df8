import Device
import Ports
import Session
import Simulation
import Zoo

/// One launch of an app with its client on a simulated phone.
final class SimulatedClientApp: HostedApp {
  private let number: ProcessNumber
  private let box: DeviceBox
  private let schedule: AppSchedule
  private let app: any CommandedApp
  private let crashes: NotedCrash
  private let service: CountingDaemon

  init(
    _ number: ProcessNumber, _ launch: AppLaunch, _ profile: AppProfile, _ setup: PhoneSetup,
    launchCount: Int, on phone: SimulatedPhone, reaching server: any HTTPService
  ) throws(PhoneHostError) {
    self.number = number
    box = phone.box
    schedule = AppSchedule("app", startMs: phone.nowMs) { [box] in box.isAlive(number) }
    let process = schedule.process
    let clock = SkewedClock(schedule.clock, aheadMs: launch.clockAheadMs)
    let modules = try phone.modules(for: number, in: process, clock, setup, launchCount)
    (crashes, service) = (modules.crashes, modules.service)
    let transport = ServiceTransport(
      server, sleeper: process, latency: ServiceTransport.phoneLatency, clock: schedule.clock)
    do {
      app = try launch.appSettings(launchCount: launchCount).app(
        profile, launch.settings.backendKind, KnownStores.known(launch.store), on: modules.ports,
        in: process, browser: LabBrowser(transport, modules.points),
        ClientNetwork(
          transport: transport, clock: clock,
          entropy: SeededEntropy(
            seed: (setup.seed ?? 0) &+ UInt64(launchCount), stream: "client")),
        state: launch.state)
    } catch let error as PhoneHostError {
      throw error
    } catch {
      throw .refused("\(error)")
    }
  }

  var isRunning: Bool { box.isAlive(number) }

  func perform(_ words: [String], atMs now: Int64) -> AppReply {
    guard isRunning else { return .killed }
    do {
      let command = try ClientCommand(words: words)
      var result = app.result(of: command, nowMs: { schedule.nowMs }) { patience, settling, work in
        schedule.perform(atMs: now, patience: patience, settling: settling, work)
      }
      if let exception = crashes.exception { return .ended(exception) }
      guard isRunning else { return .killed }
      result.serviceCallCount = service.takeCount()
      return .result(result)
    } catch {
      return .ended("\(error)")
    }
  }

  func end() { box.end(number) }
}
