import Gallery
import JSON
import Terminal

/// `lab schema ID`: the JSON Schema of a document.
enum SchemaCommand {
  static var command: Command {
    var command = Command("schema", "the JSON Schema of what a command prints", run: run)
    command.description = [
      "Every document of lab names its schema: --json prints one object, or one a line, whose "
        + "\"schema\" is an ID. `lab list schemas` shows all. A schema is exact: it names every key "
        + "that this version writes."
    ]
    command.arguments = [Argument("ID", kind: "schema", words: SchemaFiles.all.map(\.id))]
    command.examples = [
      ("lab schema lab.run/1 > run.schema.json", "for a validator, or to generate types")
    ]
    return command
  }

  private static func run(_ invocation: Invocation, _ console: Console) throws -> ExitCode {
    let id = invocation.argument("ID")
    guard let schema = SchemaFiles.all.first(where: { $0.id == id }) else { return .wrongUsage }
    console.result(schema.text.split(separator: "\n").map(String.init))
    return .asExpected
  }

  /// Ids with what they describe, for `lab list`.
  static var schemas: [(name: String, meaning: String)] {
    get throws {
      try SchemaFiles.all.map { id, text in
        let schema = try JSONReader.read(Array(text.utf8)).value
        return (id, schema["description"]?.text ?? "")
      }
    }
  }
}
