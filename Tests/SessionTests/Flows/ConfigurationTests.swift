import Session
import Testing

@Suite struct `The client's configuration` {
  private let environment = [
    ClientConfiguration.urlVariable: "https://demo.example.com",
    ClientConfiguration.keyVariable: "public",
  ]

  // R-CLIENT-2
  @Test func `refreshes, persists, reads no address, and uses PKCE`() throws {
    let configuration = try ClientConfiguration(
      environment: environment, isAndroid: false, isDevelopment: false)
    #expect(configuration.refreshesByItself && configuration.persistsSession)
    #expect(!configuration.detectsSessionInURL)
    #expect(configuration.flowType == .pkce)
    #expect(configuration.url == "https://demo.example.com")
    #expect(configuration.publicKey == "public")
  }

  // R-CLIENT-7
  @Test(arguments: [ClientConfiguration.urlVariable, ClientConfiguration.keyVariable])
  func `fails at the start, and names what is missing`(variable: String) {
    for value in [nil, ""] {
      var environment = environment
      environment[variable] = value
      let error = #expect(throws: ConfigurationError.self) {
        try ClientConfiguration(environment: environment, isAndroid: false, isDevelopment: false)
      }
      #expect(error?.description == "\(variable) is not set")
    }
  }

  // R-CLIENT-6
  @Test func `rewrites loopback hosts on Android in development only`() {
    let hosts = [
      ("http://localhost:54321", "http://10.0.2.2:54321"), ("http://127.0.0.1", "http://10.0.2.2"),
      ("http://[::1]:1/x", "http://10.0.2.2:1/x"),
      ("https://demo.example.com", "https://demo.example.com"),
      ("http://localhost.example.com", "http://localhost.example.com"),
    ]
    for (url, rewritten) in hosts {
      for isAndroid in [false, true] {
        for isDevelopment in [false, true] {
          #expect(
            EmulatorHost.resolve(url, isAndroid: isAndroid, isDevelopment: isDevelopment)
              == (isAndroid && isDevelopment ? rewritten : url))
        }
      }
    }
  }
}
