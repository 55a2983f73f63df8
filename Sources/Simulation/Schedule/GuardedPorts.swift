package import Ports

/// Ports that are no interleaving points, and that a process loses when it ends: whatever its last
/// code says reaches neither log nor oracle.
extension SimulatedProcess {
  package func console(over console: any Console) -> any Console {
    GuardedConsole(console, self)
  }

  package func tracePoint(over points: any TracePoint) -> any TracePoint {
    GuardedTracePoint(points, self)
  }

  package func acknowledgements(over sink: any AcknowledgementSink) -> any AcknowledgementSink {
    GuardedAcknowledgements(sink, self)
  }
}

private final class GuardedConsole: Console {
  private let console: any Console
  private let process: SimulatedProcess

  init(_ console: any Console, _ process: SimulatedProcess) {
    self.console = console
    self.process = process
  }

  func warn(_ text: String) { if !process.isGone { console.warn(text) } }
  func error(_ text: String) { if !process.isGone { console.error(text) } }
}

private final class GuardedTracePoint: TracePoint {
  private let points: any TracePoint
  private let process: SimulatedProcess

  init(_ points: any TracePoint, _ process: SimulatedProcess) {
    self.points = points
    self.process = process
  }

  func reach(_ point: LogicalPoint) { if !process.isGone { points.reach(point) } }
}

private final class GuardedAcknowledgements: AcknowledgementSink {
  private let sink: any AcknowledgementSink
  private let process: SimulatedProcess

  init(_ sink: any AcknowledgementSink, _ process: SimulatedProcess) {
    self.sink = sink
    self.process = process
  }

  func append(_ line: String) throws(AcknowledgementFailure) {
    guard !process.isGone else { throw AcknowledgementFailure(reason: "\(ProcessGone())") }
    try sink.append(line)
  }
}
