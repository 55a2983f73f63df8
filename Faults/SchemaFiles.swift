/// The JSON Schemas of what `lab` writes with `--json`, and of the files that it reads.
///
/// They are the files of `Documentation/schemas/`, embedded when the program was built.
package enum SchemaFiles {
  /// Each with the id that documents bear: `lab.run/1` for `lab.run-1.json`.
  package static let all: [(id: String, text: String)] = embeddedSchemas.map { path, text in
    let name = path.dropFirst("schemas/".count).dropLast(".json".count)
    // The version is behind the last dash.
    let parts = name.split(separator: "-")
    return (parts.dropLast().joined(separator: "-") + "/" + (parts.last ?? ""), text)
  }
}
