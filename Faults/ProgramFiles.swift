/// The JavaScript that is part of the program: stand-ins for the native modules of React Native apps,
/// and stores that run over them.
///
/// They are the files of `Faults/shims/` and `Faults/apps/`, embedded when the program was built.
package enum ProgramFiles {
  /// As `lab shims` lays them out, by their paths there, sorted: the stand-ins, and the stores in `apps`.
  package static let all: [(path: String, text: String)] = embeddedPrograms.map { path, text in
    (path.hasPrefix(shims) ? String(path.dropFirst(shims.count)) : path, text)
  }.sorted { $0.path < $1.path }

  private static let shims = "shims/"
}
