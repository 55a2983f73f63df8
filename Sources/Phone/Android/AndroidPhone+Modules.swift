package import Ports

extension AndroidPhone {
  static func modules(
    on ports: PhonePorts, _ daemon: any SystemDaemon, _ points: any TracePoint,
    _ launch: PhoneLaunch
  ) throws -> NativeModules {
    preconditionFailure("to be built")
  }

  static func service(
    on ports: PhonePorts, _ lockState: LockState, _ launch: PhoneLaunch
  ) throws -> any PhoneService {
    preconditionFailure("to be built")
  }

  package func inventory(files: any FileSystem, ask: (String) -> String?) -> Inventory {
    preconditionFailure("to be built")
  }
}
