import Foundation
import PackagePlugin

/// Writes the scenario files of `gallery/` into a Swift source, as string literals.
///
/// The files are the command's inputs and arguments, so that it runs again when one is added,
/// changed or removed, and only then.
@main struct EmbedScenarios: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = target.directoryURL.appending(path: "gallery")
    let names =
      FileManager.default.fileExists(atPath: folder.path)
      ? try FileManager.default.contentsOfDirectory(atPath: folder.path) : []
    let files = names.filter { $0.hasSuffix(".json5") && !$0.hasPrefix(".") }.sorted()
      .map { folder.appending(path: $0) }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedScenarios.swift")
    return [
      .buildCommand(
        displayName: "Embed \(files.count) scenarios",
        executable: try context.tool(named: "embed-scenarios").url,
        arguments: [output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
    ]
  }
}
