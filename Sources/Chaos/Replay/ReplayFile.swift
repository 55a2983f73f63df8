package import JSON

/// A finding as a file: the steps of a history, or a story with its fault.
package enum ReplayFile: Equatable, Sendable {
  case steps(Replay)
  case story(StoryReplay)

  /// - Parameters:
  ///   - text: The JSON text of the file.
  ///   - name: The file's name without its ending.
  /// - Returns: The finding, without the path of its file.
  /// - Throws: `JSONError` with the place and the nearest valid word.
  package static func read(_ text: [UInt8], name: String) throws(JSONError) -> ReplayFile {
    let node = try JSONReader.read(text, .json)
    guard case .text(StoryReplay.schema)? = node["schema"]?.content else {
      return .steps(try ReplayReader.read(text, name: name))
    }
    return .story(try StoryReplay(node, name: name))
  }

  package var steps: Replay? {
    guard case .steps(let replay) = self else { return nil }
    return replay
  }

  package var story: StoryReplay? {
    guard case .story(let replay) = self else { return nil }
    return replay
  }

  /// The word of its failure; `nil` when it shows none.
  package var failure: Verdict? {
    switch self {
    case .steps(let replay): replay.failure
    case .story(let replay): replay.failure
    }
  }

  package var name: String {
    switch self {
    case .steps(let replay): replay.name
    case .story(let replay): replay.name
    }
  }

  package var text: String {
    switch self {
    case .steps(let replay): replay.text
    case .story(let replay): replay.text
    }
  }

  /// The path of its file, as it was named; `nil` before there is one.
  package var file: String? {
    get {
      switch self {
      case .steps(let replay): replay.file
      case .story(let replay): replay.file
      }
    }
    set {
      switch self {
      case .steps(var replay):
        replay.file = newValue
        self = .steps(replay)
      case .story(var replay):
        replay.file = newValue
        self = .story(replay)
      }
    }
  }
}
