import JSON

/// Texts for both dialects: about half of them are refused by one of the two.
enum Documents {
  static let table: [String] =
    numbers + texts + blanks + containers + [
      "", " ", "true", "false", "null", "tru", "truee", "nul", "True", "undefined", "t", "f",
      "true false", "true,", "null\u{0}", "\u{0}", "\u{FEFF}true", "true\u{FEFF}", "@", "é", "'",
      "\"",
    ]

  static let numbers: [String] = [
    "0", "-0", "1", "-1", "10", "01", "-01", "00", "+1", "+", "-", "--1", "+-1", "1.", "1.0", ".5",
    "-.5", "+.5", ".", "-.", "+.", "5.e3", "1.e", "1e", "1e+", "1e-", "1e5", "1E5", "1e+5", "1e-5",
    "1.5e300", "0e0", "0.0", "-0.0", "0.1", "1e400", "-1e400", "1e-400", "5e-324",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "18446744073709551615", "18446744073709551616", "123456789012345678901234567890",
    "9007199254740993", "1.7976931348623157e308", "0x", "0x1", "0X1f", "-0x1F", "+0xff", "0xg",
    "0x1.5", "0xFFFFFFFF", "0x7FFFFFFFFFFFFFFF", "0x8000000000000000", "0x10000000000000000",
    "Infinity", "-Infinity", "+Infinity", "NaN", "-NaN", "+NaN", "infinity", "nan", "Inf", "1a",
    "1 2", "1_000", "0b1", "0o7", "1,", "- 1", "0.", "0e", "1.5.5", "1e5.5", "١",
  ]

  static let texts: [String] = [
    #""""#, #""a""#, "'a'", #""a'"#, #"'a"'"#, #""'""#, #"'""#, #""\"""#, #"'\''"#, #""\'""#,
    #""\\""#, #""\/""#, #""\b\f\n\r\t""#, #""\v""#, #""\0""#, #""\00""#, #""\01""#, #""\1""#,
    #""\9""#, #""\a""#, #""\x41""#, #""\x4""#, #""\xg1""#, #""\xe9""#, #""\u0041""#, #""\u004""#,
    #""\u00g1""#,
    #""\uD83D\uDE00""#, #""\uD83D""#, #""\uDE00""#, #""\uD83Dx""#, #""\uD83D\u0041""#,
    #""\uD83D\uD83D\uDE00""#, #""\u0000""#, "\"\u{1}\"", "\"\t\"", "\"\n\"", "\"\r\"", "\"\u{7F}\"",
    "\"\\\n\"", "\"a\\\nb\"", "\"a\\\r\nb\"", "\"a\\\rb\"", "\"a\\\u{2028}b\"", "\"a\u{2028}b\"",
    "\"\\",
    "\"\\\"", "\"é😀\"", "\"\\é\"", "\"e\u{301}\"", #""\U0041""#, #""\ud83d\ude00""#, "\"abc",
    "'\u{1}'", "'\t'", "\"\u{FFFF}\u{10FFFF}\"",
  ]

  static let blanks: [String] = [
    " 1 ", "\t1\t", "\n1\n", "\r1\r", "\r\n1\r\n", "\u{B}1", "\u{C}1", "\u{A0}1", "\u{2028}1",
    "\u{2029}1", "\u{3000}1", "\u{1680}1", "\u{200B}1", "\u{85}1", "//a\n1", "//a", "1//a",
    "1//a\r2",
    "//a\u{2028}1", "/*a*/1", "1/*a*/", "1/*a", "/**/1", "/***/1", "/*/1", "/*/*/1", "/* \n */1",
    "1/",
    "/1", "1/*é*/", "[1/**/,/**/2]", "{/**/a/**/:/**/1/**/}", "#a\n1", "<!--1",
  ]

  static let containers: [String] = [
    "[]", "[1]", "[1,2]", "[1,]", "[,]", "[,1]", "[1,,2]", "[1 2]", "[", "]", "[1", "[1,", "[[]]",
    "[}",
    "{}", "{", "}", #"{"a":1}"#, #"{"a":1,}"#, "{,}", #"{,"a":1}"#, #"{"a":1,,"b":2}"#, #"{"a" 1}"#,
    #"{"a"}"#, #"{"a":}"#, #"{"a":1 "b":2}"#, #"{"a":1,"b":2}"#, "{a:1}", "{$a_1:1}", "{_:1}",
    "{$:1}",
    "{1a:1}", "{1:1}", "{a-b:1}", "{a b:1}", "{é:1}", "{名:1}", "{'a':1}", "{'a b':1}", #"{"":1}"#,
    "{:1}",
    #"{\u0061:1}"#, #"{a\u0062:1}"#, #"{\u0031:1}"#, #"{a\u0031:1}"#, #"{a\u0020:1}"#, #"{\x61:1}"#,
    "{a\u{301}:1}",
    "{\u{301}a:1}", "{a\u{200C}b:1}", "{null:1}", "{true:1}", "{Infinity:1}", "{NaN:1}", "{new:1}",
    #"{"a":{"b":[1,{"c":null}]}}"#, #"{"a":1,"a":2}"#, "{a:1,'a':2}", #"{"é":1,"e\u0301":2}"#,
    "{a:1}}",
    "[]]", "{a:[1,2,],}", "{\"a\":1\n,\n\"b\":2}", "{ a : 1 }", "{\"\\ud800\":1}", "{😀:1}",
    "{a😀:1}",
  ]

  /// JSON5 texts that Foundation reads otherwise than the specification, what they say (`nil`:
  /// nothing), and the rule.
  static let foundationMisreads: [(text: String, value: JSONValue?, rule: String)] = [
    (#"{\u0061:1}"#, ["a": 1], "an escape in a name stands for its letter"),
    (#"{a\u0062:1}"#, ["ab": 1], "an escape in a name stands for its letter"),
    (#"{a\u0031:1}"#, ["a1": 1], "an escape in a name stands for its letter"),
    (#"{\u0031:1}"#, nil, "a digit cannot begin a name, escaped or not"),
    (#"{\x61:1}"#, nil, "names have no escape but \\u"),
    ("'\u{1}'", "\u{1}", "a text takes any character but the ends of a line"),
    ("'\t'", "\t", "a text takes any character but the ends of a line"),
    ("\"\u{1}\"", "\u{1}", "a text takes any character but the ends of a line"),
    ("\"\t\"", "\t", "a text takes any character but the ends of a line"),
    (#""\v""#, "\u{B}", "an escape of ECMAScript"),
    (#""\0""#, "\0", "an escape of ECMAScript"),
    ("\"\\\n\"", "", "a continued line leaves nothing"),
    ("\"a\\\nb\"", "ab", "a continued line leaves nothing"),
    ("\"a\\\r\nb\"", "ab", "a continued line leaves nothing"),
    ("\"a\\\rb\"", "ab", "a continued line leaves nothing"),
    ("\"a\\\u{2028}b\"", "ab", "a continued line leaves nothing"),
    ("//a\u{2028}1", 1, "U+2028 ends a line"),
  ]
}
