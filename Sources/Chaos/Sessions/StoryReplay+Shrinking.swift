import Device
import JSON

extension StoryReplay {
  /// A story before and after.
  package struct Shrunk: Equatable, Sendable {
    package let before: StoryReplay
    package let after: StoryReplay
    package let tryCount: Int
  }

  /// The word of its failure; `nil` when it shows none.
  package var failure: Verdict? {
    recorded.judgement.verdict.isFailure ? recorded.judgement.verdict : nil
  }

  /// Takes away what the failure does not need: all faults, the second kill, or what a power cut left.
  ///
  /// - Returns: `nil` when it shows no failure here, or another one than it says.
  /// - Throws: ``PhoneHostError`` when the lab could not play it.
  package func shrunk() throws(PhoneHostError) -> Shrunk? {
    guard let failure, var smallest = try play().shown, smallest.judgement.verdict == failure
    else { return nil }
    var tryCount = 0
    for (fault, secondKill) in smallerFaults {
      tryCount += 1
      let world = try SessionWorld(plan, fault: fault, secondKill: secondKill)
      guard let shown = try world.run(recorded.story), shown.judgement.verdict == failure else {
        continue
      }
      smallest = shown
      break
    }
    return Shrunk(
      before: self, after: StoryReplay(smallest, of: plan, named: name, foundBy: foundBy),
      tryCount: tryCount)
  }

  /// The smallest first.
  private var smallerFaults: [(fault: SessionFault?, secondKill: Int?)] {
    guard let fault = recorded.fault else { return [] }
    let plain = SessionFault(fault.kind, at: fault.place)
    var smaller: [(fault: SessionFault?, secondKill: Int?)] = [(nil, nil)]
    if recorded.secondKill != nil {
      if plain != fault { smaller.append((plain, nil)) }
      smaller.append((fault, nil))
    }
    if plain != fault { smaller.append((plain, recorded.secondKill)) }
    return smaller
  }
}

extension SessionExplorer.Case {
  fileprivate var faultCount: Int { (fault == nil ? 0 : 1) + (secondKill == nil ? 0 : 1) }
}

extension StoryReplay.Shrunk: CustomStringConvertible {
  /// `shrunk: 2 -> 1 faults (3 tries)`.
  package var description: String {
    let (old, new) = (before.recorded.faultCount, after.recorded.faultCount)
    let tries = Counted.words(tryCount, "try", "tries")
    return "\(ShrinkWords.text(old, new, "fault")) (\(tries))"
  }
}
