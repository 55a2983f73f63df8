import Glibc

// Usage: embed-scenarios VARIABLE OUTPUT FILE…
// Runs at build time only, so it is small rather than quick.

func fail(_ message: String) -> Never {
  let line = Array("embed-scenarios: \(message)\n".utf8)
  _ = unsafe write(STDERR_FILENO, line, line.count)
  exit(1)
}

func contents(of path: String) -> [UInt8] {
  guard let file = unsafe fopen(path, "rb") else { fail("cannot open \(path)") }
  var bytes: [UInt8] = []
  while true {
    let byte = unsafe getc(file)
    if byte == EOF { break }
    bytes.append(UInt8(truncatingIfNeeded: byte))
  }
  if unsafe ferror(file) != 0 { fail("cannot read \(path)") }
  _ = unsafe fclose(file)
  return bytes
}

func literal(_ text: String) -> String {
  var literal = "\""
  for scalar in text.unicodeScalars { literal += scalar.escaped(asASCII: false) }
  return literal + "\""
}

let arguments = CommandLine.arguments.dropFirst()
guard let variable = arguments.first, let output = arguments.dropFirst().first else {
  fail("usage: embed-scenarios VARIABLE OUTPUT FILE…")
}

var source = "/// Files with their names, sorted.\n"
source += "let \(variable): [(name: String, text: String)] = [\n"
for path in arguments.dropFirst(2).sorted() {
  guard let text = String(validating: contents(of: path), as: UTF8.self) else {
    fail("\(path) is not UTF-8")
  }
  let file = path.split(separator: "/").last ?? ""
  let name = file.split(separator: ".", omittingEmptySubsequences: false).dropLast()
  source += "  (\(literal(name.joined(separator: "."))), \(literal(text))),\n"
}
source += "]\n"

guard let file = unsafe fopen(output, "wb") else { fail("cannot write \(output)") }
let isWritten = unsafe fputs(source, file) >= 0 && fclose(file) == 0
if !isWritten { fail("cannot write \(output)") }
