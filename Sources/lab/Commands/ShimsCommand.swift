import Gallery
import Glibc
import JSON
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
    var folder = invocation.argument("DIR") ?? "shims"
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    let files = ProgramFiles.all.map { (path: "\(folder)/\($0.path)", text: $0.text) }
    if !invocation.has(force) {
      // What cannot be read is not as this lab has written it.
      let changed = files.first { path, text in
        Files.exists(path) && (try? Files.read(path)) != Array(text.utf8)
      }
      if let changed {
        throw Failure.couldNotRun(
          "\(changed.path) is not as this lab writes it, so nothing was written",
          do: "choose another folder, or lab shims \(folder) --force")
      }
    }
    do throws(SystemError) {
      try Files.makeDirectories("\(folder)/apps")
      for (path, text) in files { try replace(path, with: text) }
    } catch {
      throw Failure.couldNotRun("\(error)", do: advice(on: error, folder))
    }
    // node takes a path without a dot for the name of a package.
    let place = folder.hasPrefix("/") || folder.hasPrefix(".") ? folder : "./\(folder)"
    console.result("\(Counted.words(files.count, "file")) in \(folder)")
    let app = ShellWord.line([
      "node", "--import", "\(place)/register.mjs", "\(folder)/apps/durable.mjs",
    ])
    console.result("next: \(ShellWord.line(["lab", "run", "torn-save", "--app", app]))")
    return .asExpected
  }

  /// A file is as before, or whole: on a full disk nothing is lost.
  private static func replace(_ path: String, with text: String) throws(SystemError) {
    let draft = "\(path).new"
    do throws(SystemError) {
      try Files.write(draft, Array(text.utf8), permissions: 0o644)
      try Files.rename(draft, to: path)
    } catch {
      // What could not be written is nothing to keep.
      try? Files.remove(draft)
      throw SystemError(call: "write", subject: path, code: error.code)
    }
  }

  private static func advice(on error: SystemError, _ folder: String) -> String {
    switch error.code {
    case ENOSPC, EDQUOT: "make room (it takes 100 KiB), or name a folder on another disk"
    case EACCES, EPERM: "make \(folder) writable for you, or name another folder"
    case EROFS: "name a folder on a disk that is not read-only"
    case ENOTDIR, EEXIST, EISDIR:
      "something of that name is in the way; move it, or name another folder"
    case ENAMETOOLONG, ELOOP: "name another folder"
    default: "name another folder"
    }
  }
}
