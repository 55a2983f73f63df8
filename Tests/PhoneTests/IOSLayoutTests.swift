import Phone
import Testing

@Suite struct `The layout of an iPhone` {
  @Test func `names value files by the MD5 of the key`() throws {
    let layout = try IOSLayout(installCount: 1)
    // echo -n sb-demo-auth-token | md5sum
    #expect(
      try layout.valueFile(for: "sb-demo-auth-token")
        == "\(layout.storage)/1561835e3f83dec296eab4be043466b2")
    #expect(
      layout.manifest == "/private/var/mobile/Containers/Data/Application/\(layout.containerName)"
        + "/Library/Application Support/com.example.demo/RCTAsyncLocalStorage_V1/manifest.json")
  }

  @Test func `gives every installation another container, the same in every run`() throws {
    let names = try (1...3).map { try IOSLayout(installCount: $0).containerName }
    #expect(Set(names).count == 3)
    #expect(names[0] == "98665941-5CAE-4BE8-88F3-708C957F1F70")
  }

  @Test func `finds the container that is there`() async throws {
    let phone = try TestPhone()
    #expect(try IOSLayout.find(on: phone.bare) == nil)
    try await phone.launch().setItem("k", to: "v")
    #expect(try IOSLayout.find(on: phone.bare) == phone.layout)
  }

  @Test func `puts the manifest before the values that lie around it`() throws {
    let domains = IOSLayout.domains
    #expect(domains.map(\.name) == ["keychain", "manifest", "values"])
    #expect(domains[1].prefix.hasPrefix("\(domains[2].prefix)/"))
  }

  @Test func `names domains that hold for every installation`() throws {
    for count in 1...3 {
      let layout = try IOSLayout(installCount: count)
      let names = IOSLayout.domains.map {
        $0.prefix.replacing("*", with: layout.containerName)
      }
      #expect(names.contains(layout.manifest))
      #expect(names.contains(layout.container))
    }
  }
}

@Suite struct `The settings of an iPhone` {
  @Test func `take every value of every knob, and the first one is the default`() throws {
    for knob in IOSSettings.knobs {
      var settings = IOSSettings()
      for value in knob.values.dropFirst() {
        try settings.set(knob.name, to: value)
        #expect(settings != IOSSettings(), "\(knob.name) \(value)")
      }
      let first = try #require(knob.values.first)
      try settings.set(knob.name, to: first)
      #expect(settings == IOSSettings(), "\(knob.name)")
    }
  }

  @Test func `refuse what they do not know`() {
    var settings = IOSSettings()
    #expect(throws: KnobError.unknown(name: "x")) { try settings.set("x", to: "y") }
    #expect(
      throws: KnobError.badValue(
        name: "backup", value: "no", allowed: ["encrypted", "unencrypted"])
    ) { try settings.set("backup", to: "no") }
    #expect(settings == IOSSettings())
  }
}
