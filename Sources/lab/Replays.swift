import Chaos
import JSON
import Linux
import Terminal

/// The replay files that a command line names.
enum Replays {
  /// All are read and checked before the first one is played.
  ///
  /// - Throws: `Failure`, 2 with the place of an error in a file.
  static func load(_ words: [String]) throws -> [ReplayFile] {
    try words.flatMap { word in
      guard Files.exists(word) else { throw Failure.couldNotRun("no file \(word)") }
      guard try Files.status(word).isDirectory else { return [try file(word)] }
      let replays = try files(in: word)
      guard !replays.isEmpty else { throw Failure.couldNotRun("no .json file in \(word)") }
      return replays
    }
  }

  /// The same, to be played: those that were found with a program of somebody else's need it, and the
  /// others go without one.
  ///
  /// - Throws: `Failure`, 64 when a program is missing, or is not for a file.
  static func load(_ words: [String], with foreign: ForeignApp?) throws -> [ReplayFile] {
    try load(words).map { file in
      guard case .steps(var replay) = file, replay.history.store == ForeignApp.storeName else {
        guard foreign == nil else {
          throw Failure.wrongUsage(
            "\(file.file ?? file.name) was found with a store of the lab's, not with --app",
            help: "lab replay --help")
        }
        return file
      }
      guard let foreign else {
        throw Failure.wrongUsage(
          "\(file.file ?? file.name) was found with a program of somebody's own, which no file holds",
          help: "lab replay \(file.file ?? file.name) --app COMMAND, as it ran then")
      }
      replay.history.foreign = foreign
      return .steps(replay)
    }
  }

  /// All replay files of a folder, by name.
  static func files(in path: String) throws -> [ReplayFile] {
    try Files.list(path).filter { $0.hasSuffix(ending) }.sorted().map { try file("\(path)/\($0)") }
  }

  private static let ending = ".json"

  private static func file(_ path: String) throws -> ReplayFile {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    let name = last.hasSuffix(ending) ? String(last.dropLast(ending.count)) : last
    let text = try InputFile.read(path)
    do {
      var replay = try ReplayFile.read(text, name: name)
      replay.file = path
      return replay
    } catch {
      throw Scenarios.failure(error, file: path, text)
    }
  }

  /// Writes replays to a folder, which is made if it is missing.
  ///
  /// - Parameters:
  ///   - replays: What to write, each under its name.
  ///   - folder: Where.
  ///   - console: Hears of an earlier finding that had the name of one.
  /// - Throws: `Failure`, 2 when a file cannot be written.
  static func write(_ replays: [ReplayFile], to folder: String, _ console: Console) throws {
    guard !replays.isEmpty else { return }
    if !Files.exists(folder) { try Files.makeDirectory(folder, permissions: 0o755) }
    for replay in replays {
      let path = "\(folder)/\(replay.name)\(ending)"
      let isOther = Files.exists(path) && (try? Files.read(path)) != Array(replay.text.utf8)
      try write(replay, to: path)
      if isOther {
        console.note("replaced: \(path), another finding of that name; --out FOLDER keeps both")
      }
    }
  }

  /// Replaces a file as a whole: one that cannot be written stays what it was.
  static func write(_ replay: ReplayFile, to path: String) throws {
    let draft = "\(path).new"
    do {
      try Files.write(draft, Array(replay.text.utf8), permissions: 0o644)
      try Files.rename(draft, to: path)
    } catch {
      try? Files.remove(draft)
      throw Failure.couldNotRun("\(path): \(error)")
    }
  }
}
