import Foundation
import PackagePlugin

/// Writes files into Swift sources, as string literals: the scenarios of `gallery/`, the programs of
/// `apps/` and `shims/`, and the schemas of `Documentation/schemas/`.
///
/// The files are the commands' inputs and arguments, so that one runs again when a file is added,
/// changed or removed, and only then.
@main struct EmbedScenarios: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let documentation = context.package.directoryURL.appending(path: "Documentation")
    return [
      try command(
        "EmbeddedScenarios", ["gallery": ["json5"]], context: context, in: target.directoryURL),
      try command(
        "EmbeddedPrograms", ["apps": ["mjs"], "shims": ["mjs", "json"]], context: context,
        in: target.directoryURL),
      try command("EmbeddedSchemas", ["schemas": ["json"]], context: context, in: documentation),
    ]
  }

  private func command(
    _ name: String, _ folders: [String: [String]], context: PluginContext, in root: URL
  ) throws -> Command {
    let files = try folders.sorted { $0.key < $1.key }.flatMap { folder, endings in
      let path = root.appending(path: folder).path
      let names =
        FileManager.default.fileExists(atPath: path)
        ? try FileManager.default.contentsOfDirectory(atPath: path) : []
      return names.filter { name in
        !name.hasPrefix(".") && endings.contains { name.hasSuffix(".\($0)") }
      }.sorted().map { root.appending(path: folder).appending(path: $0) }
    }
    let output = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
    let variable = name.prefix(1).lowercased() + name.dropFirst()
    return .buildCommand(
      displayName: "Embed \(files.count) files into \(name)",
      executable: try context.tool(named: "embed-scenarios").url,
      arguments: [output.path, variable, root.path] + files.map(\.path), inputFiles: files,
      outputFiles: [output])
  }
}
