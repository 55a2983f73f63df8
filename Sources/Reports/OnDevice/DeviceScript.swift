package import Chaos
import JSON
package import Phone
import Ports
import Terminal

/// The steps that come closest to a run on a real simulator or phone: a shell script, or a flow.
///
/// Each step is a comment with its words, and below it a command, what a person has to do, or why there
/// is no equivalent. Nothing of it was tried on a device: it says what to try.
package struct DeviceScript {
  private struct Entry {
    let words: String
    let step: DeviceStep
  }

  private let tool: DeviceTool
  private let title: String
  private let bundle: String
  private let commands: any DeviceCommands
  private var entries: [Entry] = []

  /// - Parameters:
  ///   - title: What is played.
  ///   - phone: A phone that the tool can drive.
  ///   - steps: What happens, without disturbances and spread faults.
  ///   - tool: What drives the phone.
  ///   - bundle: The app's id, made of letters, digits, dots, dashes and underscores.
  ///   - sites: Where faults fell when it was recorded, by the positions of their steps.
  package init(
    _ title: String, on phone: PhoneKind, _ steps: [Scenario.Step], as tool: DeviceTool,
    bundle: String, sites: [Int: FaultSite] = [:]
  ) {
    precondition(tool.phones.contains(phone), "\(tool.rawValue) drives no \(phone.rawValue) phone")
    self.tool = tool
    self.title = title
    self.bundle = bundle
    switch tool {
    case .maestro: commands = MaestroCommands(phone: phone)
    case .simctl: commands = SimctlCommands()
    case .adb: commands = AdbCommands()
    }
    for (index, step) in steps.enumerated() { add(step, sites[index]) }
  }

  package static func isBundle(_ text: String) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || "0123456789._-".unicodeScalars.contains(scalar))
      }
  }

  // MARK: - What happens

  private mutating func add(_ step: Scenario.Step, _ site: FaultSite? = nil) {
    guard let fault = step.fault else {
      if case .launch(let times, let way) = step.action, times > 1 {
        for _ in 0..<times { add(Scenario.Step(.launch(times: 1, way))) }
      } else {
        entries.append(Entry(words: step.words, step: self.step(step.action)))
      }
      return
    }
    let quiet = Scenario.Step(step.action)
    guard let happening = PhoneFault(fault) else {
      entries.append(Entry(words: "\(fault)", step: Self.server(fault)))
      add(quiet)
      return
    }
    guard let trigger = fault.trigger else {
      entries.append(Entry(words: "\(fault)", step: commands.event(happening)))
      add(quiet)
      return
    }
    entries.append(
      Entry(
        words: "\(step.words), \(fault)",
        step: Self.stopped(at: trigger, site?.operation, then: commands.event(happening))))
  }

  private func step(_ action: Scenario.Action) -> DeviceStep {
    switch action {
    case .signIn: return byHand("sign in on the app's own screen", flow: "sign-in")
    case .signOut: return byHand("sign out on the app's own screen", flow: "sign-out")
    case .refresh:
      return byHand(
        "leave the app until its access token has expired, come back, and wait for the refresh",
        flow: "refresh")
    case .read: return commands.foreground
    case .overlap: return .nothing("the order of calls that overlap cannot be set from outside")
    case .launch(_, .icon): return commands.launch
    case .launch(_, .background):
      return .nothing("no tool starts an app in the background as the system does")
    case .launch(_, .callback), .launch(_, .foreignCallback), .openURL: return commands.openLink
    case .become(.active): return commands.foreground
    case .become: return commands.background
    case .setClock(let ms), .clock(let ms): return commands.clock(bySeconds: ms / 1000)
    case .storeSecret(let name):
      return byHand("let the app store an item of its own, '\(name)'", flow: "store-secret")
    case .update(let settings):
      return byHand("install the build with \(settings)", flow: "update")
    case .snapshot(let name, let half):
      return commands.snapshot(name, key: half != .blob, blob: half != .key)
    case .restore(let name, let half, let isNew):
      return commands.restore(name, key: half != .blob, blob: half != .key, onNewDevice: isNew)
    case .happen(let request):
      return PhoneFault(request).map(commands.event) ?? Self.server(request)
    case .disturbance:
      preconditionFailure("a case has no disturbance any more: its steps are steps of the case")
    }
  }

  /// A flow of the user's own can stand for what a person does.
  private func byHand(_ words: String, flow: String) -> DeviceStep {
    .byHand(words, then: tool == .maestro ? ["- runFlow: \(flow).yaml"] : [])
  }

  /// Faults of a server are those of `lab serve`, which a real app can use as well.
  private static func server(_ request: FaultRequest) -> DeviceStep {
    let options = request.kind.parameters.compactMap { parameter -> String? in
      let text = request.values.text(of: parameter)
      guard text != request.kind.fallback(parameter) else { return nil }
      return " --\(parameter.rawValue) \(text.inQuotes)"
    }
    let times = request.times > 1 ? " --times \(request.times)" : ""
    return .byHand(
      "with the app on the server of `./lab serve`: ./lab inject "
        + "\(request.kind.rawValue)\(options.joined())\(times)")
  }

  /// No tool can stop an app between two calls; a debugger can, at a point.
  private static func stopped(
    at trigger: TriggerExpression, _ met: FaultSite.Operation?, then event: DeviceStep
  ) -> DeviceStep {
    let stop: String
    if case .point(let point, _) = trigger {
      stop = "let the step begin, and stop the app in its debugger at \(trigger): \(call(point))"
    } else if let point = met?.behind {
      stop =
        "let the step begin, and stop the app in its debugger \(call(behind: point)): no tool hits the "
        + "file operation itself, which came behind \(point.rawValue) (\(point.words))"
    } else {
      return .nothing("no tool hits one file operation of an app: \(met?.words ?? "\(trigger)")")
    }
    switch event {
    case .commands(let lines, _): return .byHand(stop, then: lines)
    case .byHand(let words, let lines): return .byHand("\(stop); then \(words)", then: lines)
    case .nothing(let reason): return .nothing(reason)
    }
  }

  /// Where an operation behind a point is made: a call that was about to begin is under way then.
  private static func call(behind point: LogicalPoint) -> String {
    switch point {
    case .beforeKey: "inside SecureStore.setItemAsync, as late as it gets"
    case .beforeBlob: "inside AsyncStorage.setItem, as late as it gets"
    case .saveBegins, .browserOpened, .itemCommitted, .keyWritten, .blobWritten, .saveAcknowledged,
      .manifestWritten, .eventEmitted, .recoveryBegins, .recoveryEnds:
      call(point)
    }
  }

  /// Where a breakpoint belongs.
  private static func call(_ point: LogicalPoint) -> String {
    switch point {
    case .saveBegins: "the first line of the store's setItem"
    case .browserOpened: "where the app opens the system's browser"
    case .itemCommitted: "in SecureStore's native module, behind SecItemAdd or the Keystore"
    case .beforeKey: "before SecureStore.setItemAsync"
    case .keyWritten: "behind SecureStore.setItemAsync"
    case .beforeBlob: "before AsyncStorage.setItem"
    case .blobWritten: "behind AsyncStorage.setItem"
    case .saveAcknowledged: "where the store's setItem returns"
    case .manifestWritten: "in the native module of AsyncStorage, behind the index"
    case .eventEmitted: "where the client tells its listeners"
    case .recoveryBegins: "where the store begins to clean up"
    case .recoveryEnds: "where the store has cleaned up"
    }
  }

  // MARK: - The text

  /// How many steps a tool does, how many a person, and how many nobody.
  package var counts: (commands: Int, byHand: Int, nothing: Int) {
    entries.reduce(into: (commands: 0, byHand: 0, nothing: 0)) { counts, entry in
      switch entry.step {
      case .commands: counts.commands += 1
      case .byHand: counts.byHand += 1
      case .nothing: counts.nothing += 1
      }
    }
  }

  /// The script.
  package var lines: [String] {
    let counts = counts
    let comments = [
      "\(title): the closest steps for \(tool.title)",
      "\(counts.commands) of \(entries.count) steps have a command, \(counts.byHand) are by hand, "
        + "\(counts.nothing) have no equivalent. Not tried by the lab: it has no device.",
    ].flatMap(Self.comment)
    return (tool == .maestro ? flowHead(comments) : scriptHead(comments))
      + entries.enumerated().flatMap { index, entry in
        [""] + Self.comment("\(index + 1)  \(entry.words)") + text(entry.step)
      }
  }

  private func flowHead(_ comments: [String]) -> [String] {
    comments + ["appId: \(bundle)", "---"]
  }

  private func scriptHead(_ comments: [String]) -> [String] {
    ["#!/bin/sh"] + comments + ["set -eu", "app=\(bundle)"]
      + [#"ask() { printf '%s   [Return] ' "$1"; read -r _; }"#]
  }

  private func text(_ step: DeviceStep) -> [String] {
    switch step {
    case .commands(let lines, let remark):
      return (remark.map(Self.comment) ?? []) + lines
    case .byHand(let words, let lines):
      let told = tool == .maestro ? Self.comment("by hand: \(words)") : ["ask \(words.inQuotes)"]
      return told + lines
    case .nothing(let reason): return Self.comment("NO EQUIVALENT: \(reason)")
    }
  }

  private static func comment(_ text: String) -> [String] {
    TextLayout.wrap(text.onOneLine, width: Console.columnMax - 2).map { "# \($0)" }
  }
}

extension String {
  /// Names come from files: whatever is in one, it ends no comment and no line.
  fileprivate var onOneLine: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
  }

  /// As one word of a shell.
  var inQuotes: String {
    "'"
      + onOneLine.split(separator: "'", omittingEmptySubsequences: false).joined(
        separator: #"'\''"#)
      + "'"
  }
}
