import Testing

/// A bad snippet for each check, and a good one beside it: a check that never failed is not
/// trusted.
@Suite struct `A tidy check` {
  private func file(_ text: String, in target: String = "Device") -> SourceFile {
    SourceFile(path: "Sources/\(target)/Snippet.swift", text: text)
  }

  private func function(lines: Int) -> String {
    "struct A {\n  func f(\n    a: Int\n  ) -> Int {\n"
      + String(repeating: "    work()\n", count: lines - 4) + "  }\n}\n"
  }

  @Test func `finds a long file`() {
    let long = file(String(repeating: "let a = 1\n", count: 601))
    #expect(Checks.fileLength(long) == ["Sources/Device/Snippet.swift:1: 601 lines, 600 at most"])
    #expect(Checks.fileLength(file(String(repeating: "\n", count: 600))) == [])
  }

  @Test func `finds a long function`() {
    #expect(
      Checks.functionLength(file(function(lines: 71)))
        == ["Sources/Device/Snippet.swift:2: a function of 71 lines, 70 at most"])
    #expect(Checks.functionLength(file(function(lines: 70))) == [])
  }

  @Test func `measures functions, initialisers and subscripts, not requirements and calls`() {
    let text = """
      protocol P {
        func a() -> Int
        init(b: Int)
      }
      struct S {
        init() { self.init(b: 1) }
        subscript(i: Int) -> Int {
          let text = "} \\(f("}")) {"  // }
          return i
        }
        func c<T>(_ t: T) throws -> Int
        where T: P {
          S.init().d
        }
        deinit {
        }
      }
      """
    let found = Functions.all(in: file(text))
    #expect(found.map(\.line) == [6, 7, 11, 15])
    #expect(found.map(\.lineCount) == [1, 4, 4, 2])
  }

  @Test func `finds a leftover note`() {
    for word in ["FIX" + "ME", "TO" + "DO", "X" + "XX"] {
      #expect(Checks.leftovers(file("// \(word): later")).count == 1)
    }
    #expect(Checks.leftovers(file(#"let a = "\uXXXX" // .XXXXXX, a to-do"#)) == [])
  }

  @Test(arguments: [
    "Date()", "UUID()", "ContinuousClock.now", "SuspendingClock()", "Task.sleep(for: a)",
    "Int.random(in: 0..<2)", "Bool.random()", "a.randomElement()", "a.shuffled(using: &b)",
    "a.shuffle()", "SystemRandomNumberGenerator()", "a.hashValue", "ObjectIdentifier(a)",
    #"getenv("A")"#, "Locale.current", "TimeZone.current", "print(a)", #"fatalError("a")"#,
  ]) func `finds a hidden input`(call: String) {
    #expect(Checks.hiddenInputs(file("let a = \(call)")).count == 1)
    #expect(Checks.hiddenInputs(file("let a = \(call)", in: "Machine")) == [])
    #expect(Checks.hiddenInputs(file("// \(call)\nlet a = #\"\(call)\"#")) == [])
  }

  @Test(arguments: [
    "Task {", "Task(priority: .high) {", "Task.detached {", "@MainActor func a() {",
  ])
  func `finds what leaves the executor`(call: String) {
    #expect(!Checks.escapes(file("\(call) }", in: "Session")).isEmpty)
    #expect(Checks.escapes(file("\(call) }", in: "Machine")) == [])
    #expect(Checks.escapes(file("withTaskGroup(of: A.self) { }", in: "Session")) == [])
  }

  @Test(arguments: [
    "unsafe a()", "nonisolated(unsafe) var a = 1", "var a: UnsafePointer<Int>",
    "a.withUnsafeBytes { b }",
  ]) func `finds unsafe code in a model`(code: String) {
    #expect(!Checks.unsafeCode(file(code)).isEmpty)
    #expect(Checks.unsafeCode(file(code, in: "Linux")) == [])
    let executor = SourceFile(path: "Sources/Simulation/SimulatorExecutor.swift", text: code)
    #expect(Checks.unsafeCode(executor) == [])
    #expect(Checks.unsafeCode(file("// unsafe\nlet a = \"unsafe\"")) == [])
  }

  @Test func `finds a swallowed error`() {
    #expect(Checks.swallowedErrors(file("do { try a() } catch {\n}")).count == 1)
    #expect(Checks.swallowedErrors(file("do { try a() } catch { b(error) }")) == [])
  }

  @Test func `finds a forbidden import`() {
    let manifest = Manifest(#"part("Device"), part("Images", ["Device", "SQLite"]),"#)
    for line in ["import Foundation", "package import SQLite", "import struct Phone.A"] {
      #expect(Checks.imports(file(line), manifest).count == 1)
    }
    #expect(Checks.imports(file("// import Foundation"), manifest) == [])
    #expect(Checks.imports(file("package import Device", in: "Images"), manifest) == [])
    #expect(Checks.imports(file("import Glibc"), manifest).count == 1)
    #expect(Checks.imports(file("import Glibc", in: "Linux"), manifest) == [])
  }

  @Test(arguments: [
    #"part("Phone", ["Device"])"#, #"part("Session", ["Machine"])"#, #"part("JSON", ["Ports"])"#,
    #".executableTarget(name: "lab", dependencies: ["CFuse"], swiftSettings: strict)"#,
    #"part("Unheard")"#, #"part("Chaos", ["lab"])"#,
  ]) func `finds a forbidden arrow`(line: String) {
    #expect(Checks.arrows(Manifest(line)).count == 1)
  }

  @Test func `lets the arrows of the table be`() {
    let text = """
      .systemLibrary(name: "CFuse", pkgConfig: "fuse3"),
      part("Mount", ["Device", "CFuse"]),
      .executableTarget(
        name: "lab", dependencies: ["Mount", "Simulation"],
        swiftSettings: strict),
      .target(name: "Gallery", path: "Faults", plugins: ["EmbedScenarios"]),
      """
    let manifest = Manifest(text)
    #expect(manifest.dependencies["lab"] == ["Mount", "Simulation"])
    #expect(manifest.dependencies.keys.sorted() == ["CFuse", "Gallery", "Mount", "lab"])
    #expect(Checks.arrows(manifest) == [])
  }

  @Test func `finds public without docs`() {
    #expect(Checks.undocumented(file("public struct A {}")).count == 1)
    #expect(Checks.undocumented(file("/// An a.\n@safe\npublic struct A {}")) == [])
    #expect(Checks.undocumented(file("public import JSON\npackage struct A {}")) == [])
  }

  @Test func `finds a link of the docs that leads nowhere`() {
    let docs = "/// A ``Disk/cut(_:)``, ``full``, ``Cut/init(_:)``."
    let here = file("\(docs)\nenum Disk { case empty, full }")
    let there = file("extension Disk { func cut(_ n: Int) {} }\nstruct Cut {}")
    #expect(Checks.deadLinks([here, there]) == [])
    #expect(Checks.deadLinks([here]).count == 2)
    let elsewhere = file("struct Cut {}\nfunc cut() {}", in: "Phone")
    #expect(Checks.deadLinks([here, elsewhere]).count == 2)
  }

  @Test func `finds a type named as its module`() {
    #expect(Checks.moduleNames(file("struct Phone {}", in: "Phone")).count == 1)
    #expect(Checks.moduleNames(file("struct PhoneError {}\n// enum Phone", in: "Phone")) == [])
  }
}
