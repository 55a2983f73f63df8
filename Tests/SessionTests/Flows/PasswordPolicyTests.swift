import Session
import TestSupport
import Testing

@Suite struct `The password policy` {
  private let all = PasswordRequirements(specialCharacters: true, digits: true, upperCase: true)

  // R-PW-1
  @Test func `is on only by the text true`() {
    for value in ["TRUE", "1", " true", "true ", "yes", ""] {
      let environment = ["EXPO_PUBLIC_PASSWORD_REQUIRE_NUMBERS": value]
      #expect(PasswordRequirements(environment: environment) == .none, "\(value)")
    }
    #expect(PasswordRequirements(environment: [:]) == .none)
    let names = ["SPECIAL_CHARS", "NUMBERS", "UPPERCASE"]
    let environment = names.map { ("EXPO_PUBLIC_PASSWORD_REQUIRE_\($0)", "true") }
    #expect(PasswordRequirements(environment: Dictionary(uniqueKeysWithValues: environment)) == all)
  }

  // R-PW-2
  @Test func `asks for 8 to 99 characters`() {
    let schema = PasswordSchema.signUp(.none, .seed)
    for (count, problems) in [
      (7, [PasswordProblem.tooShort]), (8, []), (99, []), (100, [.tooLong]),
    ] {
      #expect(schema.problems(String(repeating: "a", count: count)) == problems, "\(count)")
    }
  }

  // R-PW-2, H-21
  @Test func `counts bytes, too, in hardened`() {
    let schema = PasswordSchema.signUp(.none, .hardened)
    #expect(schema.problems(String(repeating: "a", count: 72)).isEmpty)
    #expect(schema.problems(String(repeating: "a", count: 73)) == [.tooLong])
    #expect(schema.problems(String(repeating: "ä", count: 37)) == [.tooLong])
    #expect(
      PasswordSchema.signUp(.none, .seed).problems(String(repeating: "a", count: 73)).isEmpty)
  }

  // R-PW-3, R-PW-4, R-PW-9
  @Test func `asks for what the flags say, under the web's keys`() {
    for schema in [PasswordSchema.signUp(all, .seed), .reset(all, .seed)] {
      #expect(
        schema.problems("aaaaaaaa").map(\.rawValue) == [
          "auth.errors.minPasswordSpecialChars", "auth.errors.minPasswordNumbers",
          "auth.errors.uppercasePassword",
        ])
      #expect(schema.problems("Aaaaaa1!").isEmpty)
      #expect(schema.problems("Aaaaaa1!", repeated: "Aaaaaa1?") == [.notRepeated])
    }
  }

  // R-PW-5
  @Test func `is ignored by the settings`() {
    #expect(PasswordSchema.settings.problems("aaaaaaaa").isEmpty)
    #expect(PasswordSchema.settings.problems("aaaaaaa") == [.tooShort])
    #expect(!PasswordSchema.signUp(all, .seed).problems("aaaaaaaa").isEmpty)
  }

  // R-PW-6
  @Test func `binds the app only`() {
    let app = App(at: .signUp).start()
    let flow = SignUpFlow(app.context)
    app.loop.perform {
      await flow.submit(
        Credentials(email: "ada@example.com", password: "sixsix"), repeated: "sixsix")
    }
    #expect(flow.problems == [.tooShort] && app.auth.calls("signUp").isEmpty)
    let isAccepted = app.loop.perform {
      do throws(AuthError) {
        return try await app.auth.signUp(
          email: "ada@example.com", password: "sixsix", data: nil
        ).user != nil
      } catch {
        return false
      }
    }
    #expect(isAccepted == true)
  }

  // R-PW-7
  @Test func `of the server reaches the form as a list, without a change of the app`() {
    let app = App(at: .signUp).start()
    app.auth.scripts["signUp"] = [
      .fail(.weakPassword(message: "weak", status: 422, reasons: ["characters"]))
    ]
    let flow = SignUpFlow(app.context)
    app.loop.perform {
      await flow.submit(
        Credentials(email: "ada@example.com", password: "aaaaaaaa"), repeated: "aaaaaaaa")
    }
    #expect(flow.attempt.alert?.reasons == ["characters"])
  }

  // R-PW-8
  @Test func `agrees with a step of the server's ladder for one set of flags only`() {
    var exact: [String] = []
    for bits in 0..<8 {
      let flags = PasswordRequirements(
        specialCharacters: bits & 1 != 0, digits: bits & 2 != 0, upperCase: bits & 4 != 0)
      for step in PasswordLadder.allCases where step.mismatches(flags).isEmpty {
        exact.append("\(bits) \(step)")
      }
    }
    #expect(exact == ["0 nothing"])
    // All flags ask for no small letter, which the top step does.
    #expect(
      PasswordLadder.bothCasesDigitsAndSymbols.mismatches(all) == [[.upper, .digit, .symbol]])
  }
}
