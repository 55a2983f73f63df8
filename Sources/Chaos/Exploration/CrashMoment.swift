import Device
import Phone
import Ports

/// Where in a history an app may end.
protocol ExploredMoment {
  var step: Int { get }
  var operation: Int? { get }
  var kind: OperationKind? { get }
  var half: Half? { get }
  var points: [LogicalPoint] { get }
  var point: LogicalPoint? { get }
}

/// A moment at which the app may end: just after an operation of a step, or after the step.
struct CrashMoment: ExploredMoment {
  /// The position of the step in its history.
  let step: Int
  /// Which operation of the step it was, from 1: what `op:N` counts. `nil` after the step.
  let operation: Int?
  /// What that operation was, and in which half. `nil` after the step.
  let kind: OperationKind?
  let half: Half?
  /// The points that the step announced since the moment before.
  let points: [LogicalPoint]
  /// The last point that the step had announced.
  let point: LogicalPoint?
  /// How many choices had decided the order of overlapping calls.
  let decisionCount: Int
  /// What a power cut finds.
  let device: StorageDevice
  /// What a kill leaves: an operation of the service ends only when the service rests. `nil` while
  /// no app runs that a kill could end.
  let killed: StorageDevice?
  /// What was judged before it.
  let judgements: [Judgement]
  let knowledge: CasePlayer.Knowledge
  let standing: SimulatedPhone.Standing
}
