import Gallery
import Linux
import Terminal

/// `lab shims`: the JavaScript that lets a store of React Native run on a phone of the lab.
enum ShimsCommand {
  private static let force = Flag("force", "replace files that are not as this lab writes them")

  static var command: Command {
    var command = Command("shims", "stand-ins for native modules, for node", run: run)
    command.description = [
      "Writes an ES-module package into DIR: stand-ins for expo-secure-store, "
        + "@react-native-async-storage/async-storage and their kin, whose halves lie on the lab's phone, "
        + "a loader that has an app find them, and three stores in DIR/apps. It needs node 18.19 or "
        + "newer, and nothing else.",
      "A store's file runs as it is: what it exports with getItem, setItem and removeItem is driven by "
        + "lab run --app.",
    ]
    command.arguments = [Argument("DIR")]
    command.options = [force]
    command.examples = [
      ("lab shims shims", "writes them"),
      (
        "lab run torn-save --app 'node --import ./shims/register.mjs my-store.mjs'",
        "runs a store over them"
      ),
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let folder = invocation.argument("DIR") ?? "shims"
    let files = ProgramFiles.all.map { (path: "\(folder)/\($0.path)", text: $0.text) }
    if !invocation.has(force) {
      let changed = try files.first { path, text in
        try Files.exists(path) && Files.read(path) != Array(text.utf8)
      }
      if let changed {
        throw Failure.couldNotRun(
          "\(changed.path) is not as this lab writes it, so nothing was written",
          do: "choose another folder, or lab shims \(folder) --force")
      }
    }
    for path in [folder, "\(folder)/apps"] where !Files.exists(path) {
      try Files.makeDirectory(path)
    }
    for (path, text) in files { try Files.write(path, Array(text.utf8)) }
    // node takes a path without a dot for the name of a package.
    let place = folder.hasPrefix("/") || folder.hasPrefix(".") ? folder : "./\(folder)"
    console.result("\(files.count) files in \(folder)")
    let app = "node --import \(place)/register.mjs \(folder)/apps/durable.mjs"
    console.result("next: lab run torn-save --app '\(app)'")
    return .asExpected
  }
}
