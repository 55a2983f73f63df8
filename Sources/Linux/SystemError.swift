import Glibc

/// A failed system call: which one, on what, and Linux's error number.
package struct SystemError: Error, Equatable, Sendable {
  package let call: String
  package let subject: String
  package let code: Int32

  package init(call: String, subject: String, code: Int32) {
    self.call = call
    self.subject = subject
    self.code = code
  }
}

extension SystemError: CustomStringConvertible {
  package var description: String {
    var words = [CChar](repeating: 0, count: 128)
    let known = unsafe strerror_r(code, &words, words.count) == 0
    let end = words.firstIndex(of: 0) ?? words.endIndex
    let text = String(decoding: words[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "\(call) \(subject): \(known ? text : "error \(code)")"
  }
}

/// Returns a call's result, or throws what `errno` says when the result is negative.
@discardableResult
package func check<Result: SignedInteger>(
  _ call: String, _ subject: @autoclosure () -> String, _ result: Result
) throws(SystemError) -> Result {
  guard result >= 0 else {
    let code = errno
    throw SystemError(call: call, subject: subject(), code: code)
  }
  return result
}

/// Repeats a call while a signal interrupts it.
package func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    guard errno == EINTR else { return result }
  }
}
