import JSON

extension JSONObject {
  /// This object with the members of another. Objects are merged level by level; everything else
  /// is replaced, lists included.
  func merged(with change: JSONObject) -> JSONObject {
    var result = self
    for member in change.members {
      if let below = result[member.key]?.object, let object = member.value.object {
        result[member.key] = .object(below.merged(with: object))
      } else {
        result[member.key] = member.value
      }
    }
    return result
  }
}
