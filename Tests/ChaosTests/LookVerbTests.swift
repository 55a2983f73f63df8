import Chaos
import JSON
import Testing

@Suite struct `A look at a mounted phone` {
  @Test func `is asked for as a message, and so is an undo`() throws {
    #expect(try PhoneVerb(PhoneVerb.look(store: "durable").text) == .look(store: "durable"))
    #expect(try PhoneVerb(PhoneVerb.undo(change: 3).text) == .undo(change: 3))
    #expect(throws: JSONError.self) { try PhoneVerb(#"{"verb":"look"}"#) }
    #expect(throws: JSONError.self) { try PhoneVerb(#"{"verb":"undo"}"#) }
  }
}
