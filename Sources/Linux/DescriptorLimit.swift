import Glibc

/// How many descriptors this process may have open.
package enum DescriptorLimit {
  /// Raises the limit to what the machine allows without asking; one that cannot be raised stays.
  package static func raise() {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
