/// Where the calls of ports let others go first.
package enum Interleaving: Sendable {
  /// Before each call: call and what its caller does next are one step. Fewer runs, and enough
  /// where nothing but storage is shared.
  case beforeCalls
  /// Before and after: what the caller does next may come late, too.
  case aroundCalls
}
