import Testing

@testable import Terminal

@Suite struct `Completions of a program` {
  private let program = SampleProgram().program

  @Test(arguments: Shell.allCases) func `name every command and option`(shell: Shell) {
    let text = shell.completions(of: program)
    for word in ["chaos", "list", "with", "mount", "help", "budget", "tier", "json", "color"] {
      #expect(text.contains(word), "\(word)")
    }
    #expect(text.contains("simulated mounted both") && text.contains("faults scenarios stores"))
    #expect(text.hasSuffix("\n") && !text.contains("\t"))
  }

  @Test(arguments: Shell.allCases) func `leave out what is hidden`(shell: Shell) {
    var program = program
    program.commands[0].isHidden = true
    #expect(!shell.completions(of: program).contains("chaos"))
  }

  @Test(arguments: [
    ("FILE", Offer.Files.any), ("FILE|FOLDER|NAME", .any), ("OLD.json", .any), ("FOLDER", .folders),
    ("DIR", .folders), ("NAME", .no), ("PROFILE", .no),
  ]) func `offer files by the names of values`(placeholder: String, files: Offer.Files) {
    #expect(Offer.Files(placeholder: placeholder) == files)
  }

  @Test func `take quotes and brackets of summaries for text`() {
    var program = program
    program.commands[0].options = [Flag("odd", #"it's [a] "b": \c"#)]
    #expect(Shell.zsh.completions(of: program).contains(#"'--odd[it'\''s \[a\] "b": \\c]'"#))
    #expect(Shell.fish.completions(of: program).contains(#"-d 'it\'s [a] "b": \\c'"#))
  }
}

@Suite struct `The manual page of a program` {
  private func page(_ description: String) -> String {
    var program = SampleProgram().program
    program.commands[0].description = [description]
    return ManPage.text(of: program, date: "2026-01-02")
  }

  @Test func `has its commands with options and examples`() {
    let page = page("Text.")
    #expect(page.contains(#".TH LAB 1 "2026-01-02" "lab 0.1.0""#))
    #expect(page.contains(".SS chaos\n") && page.contains(#"\fB\-\-budget TIME\fR"#))
    #expect(page.contains(#"\fBlab chaos \-\-budget 5m\fR"#))
  }

  @Test func `takes dots, quotes and backslashes of a text for text`() {
    let page = page(#".lab 'x' \n ~ ^ ` é --seed well-known"#)
    #expect(page.contains(#"\&.lab \(aqx\(aq \en \(ti \(ha \(ga \[u00E9] \-\-seed well-known"#))
  }
}
