/// Where the choices of a run come from: ``RecordedChoices`` (also behind ``ExhaustiveSearch``),
/// ``RandomChoices``, or ``SwarmChoices`` around one of them.
package protocol ChoiceSource: AnyObject {
  /// Decides among two or more alternatives.
  ///
  /// - Throws: ``Divergence`` when the question is not the one that was recorded.
  func decide(_ label: String, among count: Int) throws(Divergence) -> Int

  /// Says that the run is over.
  ///
  /// - Throws: ``Divergence`` when recorded decisions are left.
  func finish() throws(Divergence)
}
