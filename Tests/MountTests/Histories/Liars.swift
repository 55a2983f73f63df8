import Glibc

/// A file system with one defect, to show that the search finds such a thing.
final class Liar: World {
  private let honest: any World
  private let defect: Defect

  enum Defect: CaseIterable {
    /// `rmdir` of a full folder says EEXIST, which POSIX allows and Linux does not do.
    case wrongError
    /// `ftruncate` succeeds, and the file has its old size.
    case lostTruncation
    /// O_APPEND is ignored.
    case noAppend
    /// `rename` onto a file leaves the old name, too.
    case keptName
  }

  init(_ honest: any World, _ defect: Defect) {
    self.honest = honest
    self.defect = defect
  }

  func perform(_ call: FileCall) -> Outcome {
    switch (defect, call) {
    case (.wrongError, .removeDirectory):
      var outcome = honest.perform(call)
      if outcome.error == ENOTEMPTY { outcome.error = EEXIST }
      return outcome
    case (.lostTruncation, .resize(let slot, _)):
      let before = honest.perform(.statusOf(slot))
      let outcome = honest.perform(call)
      if outcome.error == 0 { _ = honest.perform(.resize(slot, to: before.values[2])) }
      return outcome
    case (.noAppend, .open(let slot, let path, let flags, let mode)):
      return honest.perform(.open(slot, path, flags: flags & ~O_APPEND, mode: mode))
    case (.keptName, .rename(let from, let to, .none)):
      let isReplacing = honest.perform(.status(to, follows: false)).error == 0
      let outcome = honest.perform(call)
      if isReplacing, outcome.error == 0 { _ = honest.perform(.link(to, from)) }
      return outcome
    default: return honest.perform(call)
    }
  }
}
