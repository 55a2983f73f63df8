/// A report in the words of GitHub Actions: workflow commands, and Markdown for the job's summary.
package enum GitHubNotes {
  /// GitHub shows no more errors of one step.
  private static let errorCountMax = 10

  /// `::error file=…,line=…,title=…::…`, one for each cause; ten at most, then their count.
  package static func lines(of report: CheckReport) -> [String] {
    let errors = report.notes.prefix(errorCountMax).map { note in
      var properties = ["title=\(escapedProperty("\(report.command): \(note.title)"))"]
      if let line = note.line { properties.insert("line=\(line)", at: 0) }
      if let file = note.file { properties.insert("file=\(escapedProperty(file))", at: 0) }
      return "::error \(properties.joined(separator: ","))::"
        + escaped(note.lines.joined(separator: "\n"))
    }
    let more = report.notes.count - errors.count
    let rest = "and \(more) more causes; the report has them all"
    return errors + (more > 0 ? ["::notice title=\(report.command)::\(rest)"] : [])
  }

  /// What is appended to the job's summary.
  package static func summary(of report: CheckReport) -> String {
    var lines = ["### \(report.command)", "", report.conclusion, ""]
    if !report.findingLines.isEmpty {
      // No line of a story begins with a fence.
      lines += ["```text"] + report.findingLines + ["```", ""]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "%": result += "%25"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      case "\r\n": result += "%0D%0A"
      default: result.append(character)
      }
    }
  }

  private static func escapedProperty(_ text: String) -> String {
    escaped(text).reduce(into: "") { result, character in
      switch character {
      case ":": result += "%3A"
      case ",": result += "%2C"
      default: result.append(character)
      }
    }
  }
}
