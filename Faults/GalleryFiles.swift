/// The scenarios that are part of the program.
///
/// They are the files of `Faults/gallery/`, embedded when the program was built: nothing is read
/// at run time.
package enum GalleryFiles {
  /// All of them, sorted by name.
  package static let all: [GalleryFile] = embeddedScenarios.map {
    GalleryFile(
      name: String($0.path.dropFirst("gallery/".count).dropLast(".json5".count)), text: $0.text)
  }

  /// The file of this name, or `nil`.
  package static func file(_ name: String) -> GalleryFile? {
    all.first { $0.name == name }
  }
}

/// One scenario file.
package struct GalleryFile: Equatable, Sendable {
  /// The file's name without folder and extension, such as `torn-save`.
  package let name: String
  /// The whole file, unchanged.
  package let text: String

  /// Where it lies in the repository, for messages.
  package var path: String { "Faults/gallery/\(name).json5" }
}
