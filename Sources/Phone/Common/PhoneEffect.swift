/// One step of an event, for the lab to carry out on the device and its processes, in order.
package enum PhoneEffect: Equatable, Sendable {
  /// End the app's processes, as the system does: no notice, nothing flushed.
  case endApp
  case stopDaemon
  /// Start the service that was stopped; it comes up in the current lock state.
  case startDaemon
  /// Remove a file or a directory and everything below it. Nothing there is no error.
  case removeTree(String)
  /// Make a directory and its parents. Already there is no error.
  case makeTree(String)
  /// Put a file there, whole and durable.
  case writeFile(path: String, bytes: [UInt8], permissions: UInt16)
  /// Keep a copy of a file or directory under a name. Nothing there is kept as nothing.
  case keepSubtree(path: String, snapshot: String)
  /// Replace a file or directory by the kept copy; a copy of nothing removes it.
  case restoreSubtree(path: String, snapshot: String)
  /// What is stored now becomes durable, as an orderly shutdown sees to.
  case syncEverything
  /// Tell the service, and remember it for the next start of the service.
  case setLockState(LockState)
  /// Opening anything below these paths answers EPERM from now on; an empty list lifts it.
  case sealPaths([String])
  /// So many bytes are free from now on; `nil` is the device's own capacity.
  case setFreeSpace(Int?)
  /// A request to the service, as JSON. Its answer says whether it worked.
  case daemonRequest(String)
}
