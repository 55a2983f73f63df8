import Foundation
import Testing

enum Kills {
  /// How many labs are killed; more on request.
  static let count =
    ProcessInfo.processInfo.environment["LAB_MOUNT_KILLS"].flatMap { Int($0) } ?? 100

  /// Minutes that a test may take.
  static let patience = count > 100 ? 60 : 3
}

/// When a lab is killed.
private enum Moment: Int, CaseIterable {
  /// While it opens its image and mounts.
  case starting
  /// While a program writes to the phone.
  case serving
  /// The same, and `fusermount3` with it: nobody is left to unmount.
  case servingWithHelper
  /// While it unmounts and saves.
  case ending
}

/// Kills one lab after the other on the same folder and image.
private final class Killer {
  private let user: User
  private let seed: Int
  private var state: UInt64
  /// Whether a dead mount was left, which only a lab that gets so far cleans.
  private var leavesMount = false
  /// How many lines the image held when it was opened last.
  private var keptCount = 0
  private(set) var committedCount = 0
  private(set) var deadCount = 0

  init(seed: Int) throws {
    user = try User()
    self.seed = seed
    state = UInt64(seed)
  }

  /// Draws a number below `bound`; of Knuth's generator the upper bits.
  private func draw(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }

  /// Writes 1, 2, 3, … to the phone, a line each, and notes beside it how far it has come. It works in
  /// the phone's folder, so that it never writes to what lies below a mount that is gone.
  private func startWriter() throws -> Running {
    let program = """
      home=$PWD; cd my-phone; n=$(cat log 2>/dev/null | wc -l)
      while n=$((n+1)); echo $n >>log; do echo $n >"$home/written"; done
      """
    return try Running(
      "/bin/sh", ["-c", program], in: user.folder, environment: [:],
      log: "\(user.folder)/writer")
  }

  func round(_ index: Int) throws {
    let moment = Moment.allCases[draw(Moment.allCases.count)]
    let what: Comment = "seed \(seed), round \(index): killed while \(moment)"
    if moment == .starting {
      let lab = try user.begin("mount", "my-phone", "--image", "phone.db")
      usleep(UInt32(draw(200_000)))
      try kill(lab, what)
      return
    }
    let lab = try user.mount("my-phone", "--image", "phone.db")
    leavesMount = moment == .servingWithHelper
    try checkImage(what)
    let writer = try startWriter()
    #expect(eventually { user.exists("written") }, what)
    usleep(UInt32(draw(30_000)))
    if moment == .ending {
      lab.send(SIGTERM)
      usleep(UInt32(draw(30_000)))
    }
    if leavesMount {
      for helper in user.processes where helper.contains("fusermount3") {
        Foundation.kill(Int32(helper.prefix { $0 != " " }) ?? 0, SIGKILL)
      }
    }
    try kill(lab, what)
    _ = try writer.wait(seconds: 10)
  }

  /// After this there is no mount, or a dead one that says so at once, and no process.
  private func kill(_ lab: Running, _ what: Comment) throws {
    lab.send(SIGKILL)
    let ended = try lab.wait(seconds: 10)
    #expect([137, 0].contains(ended.code), what)
    #expect(eventually { user.processes.isEmpty }, "\(what): \(user.processes)")
    #expect(try eventually { try user.mounts.isEmpty || isDead() }, "\(what): \(user.mounts)")
    guard user.mounts.isEmpty else {
      deadCount += 1
      return
    }
    #expect(try user.shell("test ! -e my-phone || ls -A my-phone").output.isEmpty, what)
  }

  private func isDead() throws -> Bool {
    try leavesMount && user.shell("stat -f my-phone").errors.contains("not connected")
  }

  /// The image holds what was written up to some moment since it was saved last, all of it and
  /// nothing else.
  private func checkImage(_ what: Comment) throws {
    let lines = try user.exists("my-phone/log") ? user.read("my-phone/log") : ""
    let count = lines.split(separator: "\n").count
    #expect(lines == (0..<count).map { "\($0 + 1)\n" }.joined(), what)
    let written = try user.exists("written") ? Int(user.read("written").dropLast()) ?? 0 : 0
    #expect(count >= keptCount && count <= written + 1, what)
    if count > keptCount { committedCount += 1 }
    keptCount = count
    try user.shell("rm -f written")
  }

  /// Ends in peace: everything is kept.
  func finish() throws {
    let lab = try user.mount("my-phone", "--image", "phone.db")
    try checkImage("seed \(seed), the end")
    try user.shell("echo end >>my-phone/log")
    lab.send(SIGTERM)
    #expect(try lab.wait().code == 0)
    let next = try user.mount("my-phone", "--image", "phone.db")
    #expect(try user.read("my-phone/log").hasSuffix("end\n"))
    #expect(try user.lab("unmount").code == 0)
    #expect(try next.wait().code == 0)
  }
}

extension Commands.Phones {
  @Suite struct `A lab that is killed at a random moment` {
    @Test func `leaves no mount, no process, and an image that opens`() throws {
      var (committedCount, deadCount) = (0, 0)
      for first in stride(from: 0, to: Kills.count, by: 50) {
        let killer = try Killer(seed: first)
        for index in first..<min(first + 50, Kills.count) { try killer.round(index) }
        try killer.finish()
        committedCount += killer.committedCount
        deadCount += killer.deadCount
      }
      // Some died after they had saved, some left a dead mount, or the test would show little.
      #expect(committedCount > 0 && deadCount > 0)
    }
  }
}
