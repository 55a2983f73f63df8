import Machine
import Phone

/// The processes that this program can be. The lab starts them; people use `lab app`.
enum Subcommand {
  static let names = ["system-daemon", "run", "session", "zygote"]

  /// - Returns: The exit code: 0 it ran, 2 it could not, 64 wrong usage.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      switch arguments.first {
      case "system-daemon": try SystemDaemonCommand.run(Array(arguments.dropFirst()))
      case "run": try RunCommand.run(Array(arguments.dropFirst()))
      case "session": try SessionCommand.run(Array(arguments.dropFirst()))
      case "zygote":
        let words = try ZygoteCommand.wordsOfFork(Array(arguments.dropFirst()))
        if let words { return run(Array(words.dropFirst())) }
      case let other:
        throw UsageError(
          "\(other.map { "no subcommand '\($0)'" } ?? "no subcommand"); "
            + "allowed: \(names.joined(separator: " "))")
      }
      return 0
    } catch let error as UsageError {
      StandardStream.error.write("lab-app: \(error.text)\n")
      return 64
    } catch {
      StandardStream.error.write("lab-app: \(error)\n")
      return 2
    }
  }
}

/// Wrong words on the command line.
struct UsageError: Error {
  var text: String

  init(_ text: String) {
    self.text = text
  }
}
