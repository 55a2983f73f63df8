import CLinux

/// The processors that a thread may run on.
package enum Affinity {
  /// The numbers of the calling thread's processors, ascending.
  package static func processors() throws(SystemError) -> [Int] {
    var numbers = [Int32](repeating: 0, count: 1024)
    let count = unsafe clinux_processors(&numbers, Int32(numbers.count))
    try check("sched_getaffinity", "this thread", count)
    return numbers.prefix(Int(count)).map(Int.init)
  }

  /// Confines the calling thread, and the processes that it starts from now on, to one processor.
  package static func pin(to processor: Int) throws(SystemError) {
    try check("sched_setaffinity", "processor \(processor)", clinux_pin(Int32(clamping: processor)))
  }
}
