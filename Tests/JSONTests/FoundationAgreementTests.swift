import JSON
import Testing

/// Where we differ from Foundation's decoder, and why.
private enum KnownDifference: String {
  // Only we refuse.
  case duplicateKey = "Foundation keeps the first of two members; a scenario may not say two things"
  case trailingComma = "Foundation takes [1,] as JSON; RFC 8259 has no such comma"
  case depth = "our limit is 128, Foundation's 512"
  // Only we accept.
  case blank = "Foundation refuses blanks beyond ASCII in JSON5; ECMAScript has them"
  case anyEscape = "Foundation refuses \\q, \\u0000 and NUL in JSON5; ECMAScript takes \\q as q"
  case lineContinuation = "Foundation keeps the line end of a continued line; ECMAScript drops it"
  case underflow = "Foundation has no double for 1e-400; the nearest one is 0"
  // Not asked.
  case emptyExponent = "Foundation traps on 1e+ in JSON5, or takes it; ECMAScript wants digits"
  case notUTF8 = "Foundation traps on some bytes in JSON5 that are not UTF-8, and takes others"

  /// Of our error, when only we refuse.
  init?(refusedBy error: JSONError, json5: Bool) {
    switch error.problem {
    case .duplicateKey: self = .duplicateKey
    case .unexpected(_, "no trailing comma") where !json5: self = .trailingComma
    case .tooDeep: self = .depth
    default: return nil
    }
  }

  /// Of the text, when only we accept.
  init?(accepted text: String, json5: Bool) {
    guard json5 else { return nil }
    let hasBlank = text.unicodeScalars.contains {
      $0.value == 0xFEFF || !$0.isASCII && $0.properties.isWhitespace
    }
    if text.contains("\0") || text.has(/\\(?:[^"'\\\/bfnrtvxu\n\r0-9]|u0000)/) {
      self = .anyEscape
    } else if hasBlank {
      self = .blank
    } else {
      return nil
    }
  }
}

extension String {
  /// Scalar by scalar: a combining mark behind a match does not hide it.
  fileprivate func has(_ pattern: Regex<Substring>) -> Bool {
    firstMatch(of: pattern.matchingSemantics(.unicodeScalar)) != nil
  }
}

private enum Agreement: Equatable {
  case bothAccept
  case bothRefuse
  case known(KnownDifference)
  case differ(String)

  /// Compares on a list around the text: Foundation's JSON5 scanner looks past the end of its
  /// buffer, and sometimes traps, when a number stands there.
  init(_ document: [UInt8], json5: Bool) {
    let bytes = Array("[".utf8) + document + Array("\n]".utf8)
    let text = String(decoding: document, as: UTF8.self)
    let shown = text.debugDescription
    let isUTF8 = text.utf8.elementsEqual(document)
    let asks = !json5 || isUTF8 && !(text + "\n").has(/[0-9.][eE][+-][^0-9]/)
    let theirs = asks ? FoundationValue.read(bytes, json5: json5) : nil
    do {
      let ours = try JSONReader.read(bytes, json5 ? .json5 : .json).value
      if let theirs {
        let isSame = theirs.matches(ours)
        self = isSame ? .bothAccept : .differ("\(shown): \(ours), theirs \(theirs)")
        if !isSame, text.has(/[eE]-[0-9]{3}/) { self = .known(.underflow) }
        if !isSame, json5, text.has(/\\[\n\r]/) { self = .known(.lineContinuation) }
      } else if let known = KnownDifference(accepted: text, json5: json5) {
        self = .known(known)
      } else {
        self = asks ? .differ("\(shown): only we accept it") : .bothAccept
      }
    } catch {
      if !asks {
        self = .known(isUTF8 ? .emptyExponent : .notUTF8)
      } else if theirs == nil {
        self = .bothRefuse
      } else if let known = KnownDifference(refusedBy: error, json5: json5) {
        self = .known(known)
      } else {
        self = .differ("\(shown): only we refuse it: \(error)")
      }
    }
  }

  init(_ document: String, json5: Bool) { self.init(Array(document.utf8), json5: json5) }
}

@Suite struct `The reader beside Foundation's` {
  @Test(arguments: [false, true]) func `agrees on the table`(json5: Bool) {
    var accepted = 0
    var refused = 0
    let specified = json5 ? Documents.foundationMisreads.map(\.text) : []
    for document in Documents.table where !specified.contains(document) {
      switch Agreement(document, json5: json5) {
      case .bothAccept: accepted += 1
      case .bothRefuse: refused += 1
      case .known: break
      case .differ(let how): Issue.record("\(how)")
      }
    }
    // The table must go on telling readers apart, whoever edits it.
    #expect(accepted > 60 && refused > 60, "\(accepted) accepted, \(refused) refused")
  }

  @Test func `follows ECMAScript where Foundation does not`() {
    for (text, expected, reason) in Documents.foundationMisreads {
      let ours = try? JSONReader.read(text, .json5).value
      #expect(ours == expected, "\(text.debugDescription): \(reason)")
      let isMatch = Agreement(text, json5: true) == .bothAccept
      #expect(!isMatch, "\(text.debugDescription): Foundation agrees by now")
    }
  }

  @Test func `differs where it is known to`() {
    #expect(Agreement("[1,]", json5: false) == .known(.trailingComma))
    #expect(Agreement(#"{"a":1,}"#, json5: false) == .known(.trailingComma))
    #expect(Agreement(#"{"a":1,"a":2}"#, json5: false) == .known(.duplicateKey))
    #expect(Agreement("{a:1,'a':2}", json5: true) == .known(.duplicateKey))
    #expect(Agreement("1e+", json5: true) == .known(.emptyExponent))
    #expect(Agreement(#""\q""#, json5: true) == .known(.anyEscape))
    #expect(Agreement(#""\u0000""#, json5: true) == .known(.anyEscape))
    #expect(Agreement("1\u{A0}", json5: true) == .known(.blank))
    #expect(Agreement("1e-400", json5: false) == .known(.underflow))
    #expect(
      Agreement(Array("/*".utf8) + [0xFF] + Array("*/1".utf8), json5: true) == .known(.notUTF8))
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    #expect(Agreement(deep, json5: false) == .known(.depth))
  }

  @Test(arguments: [false, true]) func `agrees on 2000 random documents`(json5: Bool) throws {
    for seed in UInt64(0)..<2000 {
      var random = RandomDocument(draws: SplitMix(seed), json5: json5)
      let value = random.value()
      let text = random.written(value)
      #expect(try JSONReader.read(text, json5 ? .json5 : .json).value == value, "seed \(seed)")
      let agreement = Agreement(text, json5: json5)
      let isExpected = agreement == .bothAccept || agreement == .known(.anyEscape)
      #expect(isExpected, "seed \(seed): \(agreement)")
    }
  }

  @Test(arguments: [false, true]) func `agrees on 10000 broken documents`(json5: Bool) {
    var accepted = 0
    var refused = 0
    for seed in UInt64(0)..<10_000 {
      var random = RandomDocument(draws: SplitMix(seed), json5: json5)
      let text = random.written(random.value(depth: 2))
      switch Agreement(random.mutated(text), json5: json5) {
      case .bothAccept: accepted += 1
      case .bothRefuse: refused += 1
      case .known: break
      case .differ(let how): Issue.record("seed \(seed): \(how)")
      }
    }
    #expect(accepted > 1000 && refused > 3000, "\(accepted) accepted, \(refused) refused")
  }
}
