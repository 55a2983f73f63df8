// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target (conventions: language mode 6, strict, warnings are errors).
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

/// A Swift part of the house: `Sources/NAME`, importing only parts above it.
func part(
  _ name: String, _ imports: [Target.Dependency] = [], exclude: [String] = [],
  resources: [Resource]? = nil, settings: [SwiftSetting] = []
) -> Target {
  .target(
    name: name, dependencies: imports, exclude: exclude, resources: resources,
    swiftSettings: strict + settings)
}

/// Optimised in tests, too: explorations play thousands of histories and hash millions of bytes, which
/// takes a debug build minutes. Traps go on to say why.
let explored: [SwiftSetting] = [
  .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
]

/// The tests of one part: `Tests/NAMETests`.
func tests(
  _ name: String, _ imports: [Target.Dependency] = [], exclude: [String] = [],
  resources: [Resource]? = nil
) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.target(name: name)] + imports, exclude: exclude,
    resources: resources,
    swiftSettings: strict)
}

let package = Package(
  name: "lab",
  products: [
    .executable(name: "lab", targets: ["lab"]),
    .executable(name: "lab-app", targets: ["lab-app"]),
  ],
  targets: [
    // C libraries. Each has exactly one Swift target that imports it.
    .systemLibrary(name: "CFuse", pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CEvent", pkgConfig: "libevent", providers: [.apt(["libevent-dev"])]),
    .systemLibrary(name: "CLinux"),
    // Optimised in tests, too: it is vector code that nobody steps through.
    .target(name: "CAESKernel", cSettings: [.unsafeFlags(["-O3"])]),

    // Tools over them, and one reader and writer of JSON.
    part("Crypto", ["CAESKernel", "COpenSSL"], settings: explored),
    part("JSON", settings: explored),
    part("Wire", settings: explored),
    part("SQLite", ["CSQLite"], settings: explored),
    part("Linux", ["CLinux"]),

    // What is modelled.
    part("Ports"),
    part("HTTP", ["Ports", "Linux", "CEvent"]),
    part("Device", settings: explored),
    part("Images", ["Device", "SQLite"]),
    part("Phone", ["Ports", "Crypto", "JSON", "SQLite"], settings: explored),
    part(
      "Session", ["Ports", "Crypto", "JSON", "Wire"], exclude: ["DurableStore.md"],
      settings: explored),
    part("Zoo", ["Session", "Ports", "JSON"], settings: explored),
    part("Backend", ["Ports", "Crypto", "JSON", "SQLite", "Wire"], settings: explored),

    // The two tiers.
    part("Simulation", ["Ports", "Device", "SQLite"], settings: explored),
    part("Machine", ["Ports", "HTTP", "Linux", "Crypto"]),
    part("Mount", ["Device", "Images", "JSON", "Linux", "CFuse"]),

    // What the lab does with them.
    part(
      "Chaos",
      [
        "Backend", "Device", "HTTP", "Images", "JSON", "Linux", "Machine", "Mount", "Phone",
        "Ports", "Session", "Simulation", "Crypto", "Wire", "Zoo",
      ], settings: explored),

    // The scenario files, as string literals in the program.
    .executableTarget(name: "embed-scenarios", swiftSettings: strict),
    .plugin(
      name: "EmbedScenarios", capability: .buildTool(), dependencies: ["embed-scenarios"]),
    .target(
      name: "Gallery", path: "Faults", exclude: ["FINDINGS.md", "findings"], swiftSettings: strict,
      plugins: ["EmbedScenarios"]),

    // What runs.
    .executableTarget(
      name: "lab-app",
      dependencies: [
        "Ports", "Linux", "Machine", "Phone", "Session", "JSON", "Crypto", "Simulation", "Zoo",
      ],
      swiftSettings: strict,
      linkerSettings: [
        // A static worker starts in under a millisecond; sanitizers need the dynamic one.
        .unsafeFlags(["-static-executable", "-use-ld=lld"], .when(configuration: .release))
      ]),
    part("Terminal", ["JSON"]),
    part(
      "Reports",
      ["Chaos", "Crypto", "Device", "JSON", "Phone", "Ports", "Session", "Terminal", "Zoo"],
      resources: ["report.css", "report.js"].map { .embedInCode("HTML/Page/\($0)") }),
    .target(
      name: "Benchmarks",
      dependencies: [
        "Backend", "Chaos", "Crypto", "Device", "HTTP", "JSON", "Linux", "Machine", "Mount",
        "Phone", "Ports", "Reports", "SQLite", "Session", "Simulation", "Terminal",
      ],
      path: "Benchmarks", exclude: ["RESULTS.md"], swiftSettings: strict),
    .executableTarget(
      name: "lab",
      dependencies: [
        "Backend", "Benchmarks", "Chaos", "Device", "Gallery", "HTTP", "JSON", "Linux", "Machine",
        "Mount", "Phone", "Ports", "Reports", "SQLite", "Session", "Terminal", "Zoo",
      ],
      resources: ["page.html", "forbidden.html", "style.css", "script.js", "show.js"].map {
        .embedInCode("UI/Page/\($0)")
      },
      swiftSettings: strict,
      linkerSettings: [
        // A copy of the program runs where no Swift is installed; sanitizers need the shared runtime.
        .unsafeFlags(["-static-stdlib"], .when(configuration: .release))
      ]),

    // Tests.
    .target(
      name: "TestSupport", dependencies: ["Ports"], path: "Tests/TestSupport",
      swiftSettings: strict),
    tests("Backend", ["Crypto", "JSON", "Ports", "Session", "TestSupport", "Wire"]),
    tests(
      "Benchmarks",
      [
        "Backend", "Chaos", "Crypto", "Device", "JSON", "Linux", "Mount", "Phone", "Ports",
        "Session", "Simulation", "Terminal", "TestSupport", "lab", "lab-app",
      ]),
    tests(
      "Chaos",
      [
        "Backend", "Device", "Gallery", "JSON", "Linux", "Mount", "Phone", "Ports", "Reports",
        "Session", "Simulation", "Terminal", "TestSupport", "Zoo", "lab-app",
      ], exclude: ["Replays"]),
    .testTarget(
      name: "CommandTests",
      dependencies: ["lab", "lab-app", "Device", "Images", "JSON", "Terminal", "TestSupport"],
      swiftSettings: strict),
    tests("Crypto"),
    tests("Device"),
    tests("Gallery"),
    tests("HTTP", ["Linux", "Machine", "Ports"]),
    tests("Images", ["Device", "SQLite"]),
    tests("JSON"),
    tests("Linux"),
    tests("Machine", ["Ports", "Linux", "lab-app", "TestSupport"]),
    tests("Mount", ["Device", "Linux", "Ports", "SQLite", "Simulation", "TestSupport"]),
    tests("Phone", ["Ports", "Machine", "Session", "Crypto", "JSON", "SQLite", "TestSupport"]),
    tests("Reports", ["Chaos", "JSON", "Phone", "Terminal", "TestSupport"]),
    tests("SQLite", ["TestSupport"]),
    tests(
      "Simulation", ["Device", "Machine", "Phone", "Ports", "Session", "SQLite", "TestSupport"]),
    tests(
      "Session", ["Crypto", "JSON", "Ports", "Simulation", "TestSupport", "Wire"],
      resources: [.copy("Vectors")]),
    tests("Terminal", ["JSON"]),
    tests("Wire", ["JSON"]),
    tests(
      "Zoo",
      ["Chaos", "Gallery", "JSON", "Phone", "Ports", "Reports", "Session", "Terminal", "lab-app"]),
    .testTarget(name: "TidyTests", swiftSettings: strict),
  ]
)
