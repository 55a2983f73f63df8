import Backend
extension FaultRequest { var serverFault: ServerFault? { nil } }
