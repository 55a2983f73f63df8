/// Where a scenario runs.
package enum Tier: String, CaseIterable, Sendable {
  /// Everything in this process: fast, and without a kernel's help.
  case simulated
  /// Real processes on a mounted device.
  case mounted
}
