import JSON
import Testing

@Suite struct `A number that is read` {
  private func value(_ text: String) throws -> JSONValue { try JSONReader.read(text, .json5).value }

  @Test func `stays exact up to 64 bits`() throws {
    #expect(try value("9223372036854775807") == .integer(Int64.max))
    #expect(try value("-9223372036854775808") == .integer(Int64.min))
    #expect(try value("9223372036854775808") == .unsigned(1 << 63))
    #expect(try value("18446744073709551615") == .unsigned(.max))
    #expect(try value("9007199254740993") == .integer(9_007_199_254_740_993))
    #expect(try value("-0x8000000000000000") == .integer(Int64.min))
  }

  @Test func `becomes a double beyond, or with a fraction or exponent`() throws {
    #expect(try value("18446744073709551616") == .double(18_446_744_073_709_551_616))
    #expect(try value("-9223372036854775809") == .double(-9_223_372_036_854_775_808))
    #expect(try value("1.0") == .double(1))
    #expect(try value("1e2") == .double(100))
    #expect(try value("-0") == .integer(Int64(0)))
    #expect(try value("1e-400") == .double(0))
  }

  @Test func `has the forms of JSON5`() throws {
    #expect(try value("+.5") == .double(0.5))
    #expect(try value("-.5e1") == .double(-5))
    #expect(try value("5.") == .double(5))
    #expect(try value("+7") == .integer(Int64(7)))
    #expect(try value("0XfF") == .integer(Int64(255)))
    #expect(try value("-Infinity") == .double(-.infinity))
    guard case .double(let nan) = try value("+NaN") else {
      Issue.record("not a double")
      return
    }
    #expect(nan.isNaN)
  }
}
