/// When a run counts as one that will not end.
package struct SimulationLimits: Sendable {
  /// Steps without the clock moving.
  package var stepsMax = 10_000
  /// Pieces of code between two steps, each as long as Swift's runtime makes it.
  package var jobsMax = 100_000
  /// Calls of ports by one task of a process that has ended.
  package var callsAfterEndMax = 1_000

  package init() {}
}
