import Chaos
import Gallery
import JSON
import Linux
import Session
import Terminal
import Zoo

/// The scenarios that a command line names: files, folders, or names of the gallery.
enum Scenarios {
  /// All are read and checked before the first one starts.
  ///
  /// - Throws: `Failure`: 2 with the place of an error in a file, 64 for a name that is none.
  static func load(_ words: [String]) throws -> [Scenario] {
    if words.isEmpty { return try gallery() }
    return try words.flatMap { word in try load(word) }
  }

  static func gallery() throws -> [Scenario] {
    try GalleryFiles.all.map { try read(Array($0.text.utf8), name: $0.name, file: $0.name) }
  }

  private static func load(_ word: String) throws -> [Scenario] {
    if let file = GalleryFiles.file(word), !Files.exists(word) {
      return [try read(Array(file.text.utf8), name: file.name, file: "\(file.name).json5")]
    }
    guard Files.exists(word) else {
      let names = GalleryFiles.all.map(\.name)
      throw Failure.wrongUsage(
        NoSuch.message("scenario or file", word, among: names), help: "lab list scenarios")
    }
    if try Files.status(word).isDirectory { return try folder(word) }
    return [try file(word)]
  }

  /// All scenario files of a folder, by name; none is an error.
  private static func folder(_ path: String) throws -> [Scenario] {
    let scenarios = try files(in: path)
    guard !scenarios.isEmpty else {
      throw Failure.couldNotRun("no .json5 file in \(path)", do: "name a file, or a scenario")
    }
    return scenarios
  }

  /// All scenario files of a folder, by name.
  static func files(in path: String) throws -> [Scenario] {
    try Files.list(path).filter { $0.hasSuffix(".json5") }.sorted().map {
      try file("\(path)/\($0)")
    }
  }

  private static func file(_ path: String) throws -> Scenario {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    let name = last.hasSuffix(".json5") ? String(last.dropLast(6)) : last
    var scenario = try read(try InputFile.read(path), name: name, file: path)
    scenario.file = path
    return scenario
  }

  private static func read(_ text: [UInt8], name: String, file: String) throws -> Scenario {
    do {
      return try ScenarioReader.read(text, name: name)
    } catch {
      throw failure(error, file: file, text)
    }
  }

  /// What is wrong with a file, with its place.
  static func failure(_ error: JSONError, file: String, _ text: [UInt8]) -> Failure {
    let lines = Diagnostic(error, file: file, source: text).text
      .split(separator: "\n").map(String.init)
    return Failure(
      .couldNotRun,
      lines + ["Nothing was run: all files are checked before the first one starts."],
      isBare: true)
  }
}

extension Scenario {
  /// Its own stores, or all; of those, the ones that were asked for.
  func storesToRun(_ wanted: [String], _ foreign: ForeignApp? = nil) -> [String] {
    if let foreign { return isMeant(for: foreign) ? [ForeignApp.storeName] : [] }
    let own = storesByItself
    guard !wanted.isEmpty else { return own }
    // Twins stand in no list, and a scenario without one is for them as well.
    let twins = stores.isEmpty ? Twin.all.map(\.storeName) : []
    return (own + twins).filter(wanted.contains)
  }
}
