import Foundation
import PackagePlugin

/// Writes the files of `Faults/gallery/` and `Documentation/schemas/` into Swift sources, as string
/// literals.
///
/// The files are the commands' inputs and arguments, so that one runs again when a file is added,
/// changed or removed, and only then.
@main struct EmbedScenarios: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let package = context.package.directoryURL
    return [
      try command(
        context, "scenarios", ".json5", in: target.directoryURL.appending(path: "gallery")),
      try command(
        context, "schemas", ".json", in: package.appending(path: "Documentation/schemas")),
    ]
  }

  private func command(
    _ context: PluginContext, _ things: String, _ ending: String, in folder: URL
  ) throws -> Command {
    let names =
      FileManager.default.fileExists(atPath: folder.path)
      ? try FileManager.default.contentsOfDirectory(atPath: folder.path) : []
    let files = names.filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }.sorted()
      .map { folder.appending(path: $0) }
    let name = "embedded" + things.capitalized
    let output = context.pluginWorkDirectoryURL.appending(
      path: "Embedded\(things.capitalized).swift")
    return .buildCommand(
      displayName: "Embed \(files.count) \(things)",
      executable: try context.tool(named: "embed-scenarios").url,
      arguments: [name, output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
  }
}
