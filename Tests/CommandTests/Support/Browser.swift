import Foundation
import Testing

/// A Chromium without a window, commanded by the DevTools protocol over two pipes.
final class Browser {
  private let process: Running
  private let input: FileHandle
  private let output: FileHandle
  private var session: String?
  private var nextID = 1
  private var received = Data()
  private var answers: [Int: [String: Any]] = [:]
  /// What the console said, exceptions and failed loads included.
  private(set) var complaints: [String] = []
  /// Addresses of everything that was asked for.
  private(set) var requested: [String] = []

  private static let names = ["chromium", "chromium-browser", "google-chrome"]

  /// Opens a page in a window of that width.
  init(_ url: String, width: Int = 1200, as user: User) throws {
    let places = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let programs = Self.names.flatMap { name in places.map { "\($0)/\(name)" } }
    let program = try #require(
      programs.first { FileManager.default.isExecutableFile(atPath: $0) },
      "chromium is missing: apt-get install -y --no-install-recommends chromium")
    try user.shell("mkfifo to-browser from-browser")
    // Both ways, so that opening waits for nobody.
    input = try Self.open("\(user.folder)/to-browser")
    output = try Self.open("\(user.folder)/from-browser")
    process = try user.begin(
      shell: "exec '\(program)' --headless=new --no-sandbox --disable-gpu --disable-breakpad "
        + "--no-first-run --disable-background-networking --disable-dev-shm-usage "
        + "--user-data-dir=profile --remote-debugging-pipe about:blank 3<to-browser 4>from-browser"
    )
    let target = try call("Target.createTarget", ["url": "about:blank"])["targetId"] ?? ""
    session =
      try call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"]
      as? String
    for domain in ["Runtime", "Log", "Page", "Network"] { _ = try call("\(domain).enable") }
    try resize(width: width)
    _ = try call("Page.navigate", ["url": url])
  }

  private static func open(_ path: String) throws -> FileHandle {
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_NONBLOCK)
    try #require(descriptor >= 0, "\(path)")
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  func resize(width: Int) throws {
    _ = try call(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600])
  }

  /// Has the page believe in what its person prefers, such as `prefers-color-scheme`, or in paper.
  func emulate(_ features: [String: String], media: String = "") throws {
    _ = try call(
      "Emulation.setEmulatedMedia",
      ["media": media, "features": features.map { ["name": $0.key, "value": $0.value] }])
  }

  /// Runs an expression of JavaScript in the page.
  ///
  /// - Returns: Its value; `nil` for `undefined`, `null`, and what threw.
  func value(_ expression: String) throws -> Any? {
    let answer = try call(
      "Runtime.evaluate",
      ["expression": expression, "returnByValue": true, "awaitPromise": true])
    let value = (answer["result"] as? [String: Any])?["value"]
    return value is NSNull ? nil : value
  }

  /// The text of the first element that fits.
  func text(_ selector: String) throws -> String {
    try value("document.querySelector(`\(selector)`)?.innerText ?? ''") as? String ?? ""
  }

  /// Waits until an expression is true.
  func wait(
    for expression: String, seconds: Double = 20, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let isSo = try eventually(seconds: seconds) { try value(expression) as? Bool == true }
    let shown = isSo ? "" : try text("body")
    #expect(isSo, "\(expression)\n\(shown)\n\(complaints)", sourceLocation: location)
  }

  /// Presses a button as a pointer does: only one that can be seen and is not disabled.
  func click(_ selector: String, _ location: SourceLocation = #_sourceLocation) throws {
    let button = "document.querySelector(`\(selector)`)"
    try wait(for: "\(button) !== null && !\(button).disabled", location)
    _ = try value("\(button).scrollIntoView({block: 'center'}), \(button).click()")
  }

  /// Types a key, such as `Tab` or `/`.
  func type(_ key: String, _ text: String? = nil) throws {
    var event: [String: Any] = ["type": "keyDown", "key": key]
    let codes = ["Tab": 9, "Enter": 13, "Escape": 27]
    if let code = codes[key] { event["windowsVirtualKeyCode"] = code }
    if let text { event["text"] = text }
    _ = try call("Input.dispatchKeyEvent", event)
    event["type"] = "keyUp"
    event["text"] = nil
    _ = try call("Input.dispatchKeyEvent", event)
  }

  func close() throws {
    session = nil
    _ = try call("Browser.close")
    _ = try process.wait()
  }

  // MARK: - The protocol

  private func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    let id = nextID
    nextID += 1
    var message: [String: Any] = ["id": id, "method": method, "params": parameters]
    message["sessionId"] = session
    try input.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
    let isAnswered = eventually(seconds: 30) {
      receive()
      return answers[id] != nil || !process.isRunning
    }
    try #require(isAnswered, "\(method): no answer; \(process.errors)")
    let given = answers.removeValue(forKey: id)
    let answer = try #require(given, "\(method): \(process.errors)")
    return try #require(answer["result"] as? [String: Any], "\(method): \(answer)")
  }

  private func receive() {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = unsafe Glibc.read(output.fileDescriptor, &bytes, bytes.count),
      count > 0
    {
      received += bytes[..<count]
    }
    while let end = received.firstIndex(of: 0) {
      let message = received[received.startIndex..<end]
      received = Data(received[received.index(after: end)...])
      guard let object = try? JSONSerialization.jsonObject(with: message) as? [String: Any]
      else { continue }
      if let id = object["id"] as? Int { answers[id] = object } else { note(object) }
    }
  }

  private func note(_ event: [String: Any]) {
    let parameters = event["params"] as? [String: Any] ?? [:]
    switch event["method"] as? String {
    case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
      complaints.append("\(parameters)")
    case "Network.requestWillBeSent":
      requested.append((parameters["request"] as? [String: Any])?["url"] as? String ?? "")
    default: break
    }
  }
}
