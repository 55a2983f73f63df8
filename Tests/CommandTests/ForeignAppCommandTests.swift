import Foundation
import Testing

extension Commands.Programs {
  /// `lab run --app`: what a program of somebody else's may do, and what the user is told.
  @Suite(.enabled(if: FileManager.default.fileExists(atPath: "/dev/fuse")))
  struct `A program of your own` {
    private let user: User

    init() throws { user = try User() }

    private func run(_ app: String, _ more: String...) throws -> Ended {
      let words = more.map { "'\($0)'" }.joined(separator: " ")
      return try user.shell("exec lab run torn-save --phone ios --app '\(app)' \(words)")
    }

    static let misdeeds = [
      Misdeed(
        "prints rubbish", "print('hello, I am an app', flush=True); sys.stdin.read()",
        says: "printed a line that is no message: 'hello, I am an app' (during 'launch')"),
      Misdeed(
        "never answers", "time.sleep(600)",
        says: "did not answer within 3000 ms, the limit that --app-seconds sets (during 'launch')"),
      Misdeed(
        "never reads on",
        "[answer(json.loads(sys.stdin.readline())) for _ in range(2)]; time.sleep(600)",
        says: "did not answer within 3000 ms, the limit that --app-seconds sets (during 'set')"),
      Misdeed(
        "exits", "sys.stdin.readline(); sys.exit('no luck today')",
        says: "ended by itself with exit code 1 (during 'launch')"),
      Misdeed(
        "answers twice", "[(answer(c), answer(c)) for c in commands()]",
        says: "answered command 1 twice (during 'foreground')"),
      Misdeed(
        "answers what nobody asked", "sys.stdin.readline(); answer({'id': 77}); sys.stdin.read()",
        says: "answered command 77 though it was never given"),
      Misdeed(
        "forks and leaves", "os.fork() and os._exit(0); os.setsid(); time.sleep(600)",
        says: "ended by itself with exit code 0 (during 'launch')"),
      Misdeed(
        "mistypes a call",
        "print('{\"call\":1,\"method\":\"secureStore.getIten\"}', flush=True); sys.stdin.read()",
        says: "called 'secureStore.getIten', which is no call; did it mean 'secureStore.getItem'?"),
      Misdeed(
        "calls for ever",
        "[print('{\"call\":1,\"method\":\"appState\"}', flush=True) for _ in sys.stdin]",
        says: "made more than 2000 calls in one command"),
      Misdeed(
        "prints without an end", "[sys.stdout.write('x' * 65536) for _ in iter(int, 1)]",
        says: "printed a line of more than 16 MiB"),
      Misdeed(
        "ends its parent", "os.kill(os.getppid(), 15); time.sleep(600)",
        says: "has ended the process that runs it (signal 15) (during 'launch')"),
      Misdeed(
        "ends itself", "os.kill(os.getpid(), 15); time.sleep(600)",
        says: "was ended by signal 15 (during 'launch')"),
      Misdeed(
        "takes a word for true", "[answer(c, concurrent='yes') for c in commands()]",
        says: "printed 'concurrent' with a text in it, not true or false (during 'launch')"),
      Misdeed(
        "numbers its answers with words", "[answer({'id': str(c['id'])}) for c in commands()]",
        says: "printed 'id' with a text in it, not a whole number (during 'launch')"),
      Misdeed(
        "has a number as a code",
        "[answer(c, error={'message': 'no', 'code': 7}) for c in commands()]",
        says: "printed 'code' with a number in it, not a text or null (during 'launch')"),
      Misdeed(
        "kills its parent in a save, and leaves a child",
        """
        for c in commands():
            if c["do"] == "set":
                if os.fork() == 0: os.setsid() or time.sleep(600)
                os.kill(os.getppid(), 9); time.sleep(600)
            answer(c, value=None)
        """,
        says: "has ended the process that runs it (signal 9) (during 'set')"),
      Misdeed(
        "kills the parent of its parent",
        """
        for c in commands():
            place = open(f"/proc/{os.getppid()}/stat").read().rsplit(")", 1)[1].split()
            os.kill(int(place[1]), 9) if c["do"] == "set" else answer(c)
        """,
        says: "has ended the process that carries out its calls (signal 9)"),
    ]

    @Test(arguments: misdeeds)
    func `that breaks the protocol gets no verdict, and is gone`(misdeed: Misdeed) throws {
      try user.write(Misdeed.obedient + misdeed.program + "\n", to: "app.py")
      // To read so much takes time on a loaded machine.
      let limit = misdeed.words.contains("16 MiB") ? "60" : "3"
      let ended = try run("python3 \(user.folder)/app.py", "--app-seconds", limit)
      #expect(ended.code == 2, "\(ended.output)\(ended.errors)")
      #expect(ended.errors.contains(misdeed.words), "\(ended.errors)")
      #expect(ended.errors.hasPrefix("lab: the app 'python3 \(user.folder)/app.py' "))
      for word in ["falseSignOut", "hang", "crashLoop"] { #expect(!ended.output.contains(word)) }
      #expect(eventually(seconds: 5) { user.processes.isEmpty }, "\(user.processes)")
    }

    @Test(
      .enabled(if: geteuid() == 0, "a mount namespace of one's own needs root"),
      arguments: ["run torn-save", "explore", "chaos --effort 1s", "replay file.json"])
    func `needs the mounted tier, and says so where there is none`(verb: String) throws {
      try user.write("{}", to: "file.json")
      let ended = try user.shell(
        "unshare -m sh -c 'mount -t tmpfs none /dev && lab \(verb) --app true'")
      guard !verb.hasPrefix("replay") else {
        // It is no finding, which is said first.
        #expect(ended.code != 0 && ended.output.isEmpty)
        return
      }
      #expect(ended.code == 2 && ended.output.isEmpty, "\(ended.output)\(ended.errors)")
      #expect(
        ended.errors == "lab: --app needs the mounted tier: a program of your own cannot run in "
          + "memory.  cannot mount: /dev/fuse is missing.  do: sudo modprobe fuse   (in a "
          + "container: lab doctor)\n")
    }

    @Test func `is shown with its first and last lines, but for what may be a secret`() throws {
      try user.write(
        Misdeed.obedient + """
          command = json.loads(sys.stdin.readline())
          for number in range(20): print(f"line {number}", file=sys.stderr)
          for secret in ["eyJhbGciOiJIUzI1NiIs.eyJzdWIi.c2lnbmF0dXJl", command["entropy"]]:
              print("the key is", secret, file=sys.stderr)
          sys.exit(3)

          """, to: "app.py")
      let ended = try run("python3 app.py")
      #expect(ended.code == 2)
      #expect(ended.errors.contains("line 19\n") && !ended.errors.contains("line 9\n"))
      #expect(ended.errors.contains("line 0\n") && ended.errors.contains("more lines)"))
      #expect(ended.errors.contains("the key is …"))
      for secret in ["eyJ", "c2ln"] { #expect(!ended.errors.contains(secret)) }
      #expect(ended.errors.firstMatch(of: /[0-9a-f]{20}/) == nil)
    }

    @Test func `is shown without its key, however it has spelled it`() throws {
      try user.write(
        Misdeed.obedient + """
          command = json.loads(sys.stdin.readline())
          key = bytes.fromhex(command["entropy"])
          print("a", key, "z", file=sys.stderr)
          print("a", key.hex(":"), "z", file=sys.stderr)
          print("a", list(key), "z", file=sys.stderr)
          print("Uint8Array(32) [", file=sys.stderr)
          for row in range(4):
              print(" ", ", ".join(map(str, key[8 * row:8 * row + 8])), end="", file=sys.stderr)
              print("," if row < 3 else "", file=sys.stderr)
          print("]", file=sys.stderr)
          sys.exit("MAC 00:1b:44:11:3a:b7, [1, 2, 3]")

          """, to: "app.py")
      let ended = try run("python3 app.py")
      #expect(ended.code == 2)
      #expect(ended.errors.contains("MAC 00:1b:44:11:3a:b7, [1, 2, 3]"))
      let lines = ended.errors.split(separator: "\n").filter { $0.hasPrefix("    ") }
        .map { $0.dropFirst(4) }
      #expect(lines.contains("a …:… z") || lines.contains("a … z"), "\(lines)")
      for line in lines where !line.contains("MAC") && !line.contains("Uint8") {
        #expect(line.firstMatch(of: /[0-9a-f]{2}.?.?[0-9a-f]{2}/) == nil, "\(line)")
      }
    }

    @Test func `is shown without a value of the session that it was given`() throws {
      try user.write(
        Misdeed.obedient + """
          while True:
              command = json.loads(sys.stdin.readline())
              session = json.loads(command["value"]) if "value" in command else {}
              text = "refused " + str(session.get("refresh_token"))
              error = {"error": {"message": text}} if session else {}
              print(json.dumps({"id": command["id"], **error}), flush=True)

          """, to: "app.py")
      let ended = try run("python3 app.py", "--html", "page.html", "--junit", "checks.xml")
      let shown = ended.output + ended.errors
      #expect(shown.contains("refused …"), "\(shown)")
      for report in [shown, try user.read("page.html"), try user.read("checks.xml")] {
        #expect(report.firstMatch(of: /refused [0-9a-z]/) == nil)
      }
    }

    @Test func `may answer slowly, and print what it likes on its standard error`() throws {
      try user.write(
        AdapterPage.example("python").replacing(
          "command = receive()",
          with: "command = receive(); print('x' * 70000, file=sys.stderr, flush=True)"),
        to: "app.py")
      let ended = try run("python3 app.py", "--case", "S1")
      #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
    }

    // MARK: - Documentation

    @Test(arguments: [
      ("python", "app.py", "python3 app.py", ""), ("javascript", "app.mjs", "node app.mjs", ""),
      ("swift", "app.swift", "./app", "swiftc -swift-version 6 -o app app.swift"),
    ])
    func `as the documentation has it keeps its session`(
      language: String, file: String, app: String, build: String
    ) throws {
      let text = try AdapterPage.example(language)
      #expect(text.split(separator: "\n").count <= 36, "about thirty lines")
      try user.write(text, to: file)
      if !build.isEmpty {
        let built = try user.shell(build)
        try #require(built.code == 0, "\(built.output)\(built.errors)")
      }
      let ended = try run(app, "--app-seconds", "60")
      #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
      #expect(ended.output.contains("6 runs, all as expected; 5 faults armed, 5 fired"))
    }

    @Test func `takes overlapping saves in turn, or at once when it has said so`() throws {
      try user.require("node", package: "nodejs")
      try user.write(AdapterPage.example("python"), to: "app.py")
      #expect(try user.lab("shims", "shims").code == 0)
      for app in [
        "python3 app.py", "node --import ./shims/register.mjs shims/apps/durable.mjs",
      ] {
        let ended = try user.shell(
          "exec lab run two-writers --phone ios --app-seconds 60 --app '\(app)'")
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        #expect(ended.output.contains("2 runs, all as expected"))
      }
    }

    @Test func `loses its session where it shows a flaw, with the command that shows it again`()
      throws
    {
      // The text stays in the process until the command after the save.
      let lazy = try AdapterPage.example("python").replacing(
        "call(\"secureStore.setItem\", command[\"item\"], command[\"value\"])",
        with: "kept = command")
      try user.write(lazy, to: "lazy.py")
      let ended = try user.shell(
        "exec lab run stale-blob sign-out torn-save --phone ios --app 'python3 lazy.py'")
      #expect(ended.code == 1, "\(ended.output)\(ended.errors)")
      #expect(ended.output.contains("falseSignOut"))
      #expect(ended.output.contains(" --app 'python3 lazy.py' --seed 1"))
    }

    // MARK: - Wrong words

    @Test(arguments: [
      ("--app 'node x", "'node x"), ("--app ''", "a program"),
      ("--app a --tier both", "--tier both: a program of your own runs on the mounted tier only"),
      ("--app a --tier simulated", "--tier simulated: a program of your own runs on the mounted"),
      ("--app a --store recipe", "--app takes the place of --store"),
      ("--expect-as recipe", "--expect-as is for a program that --app names"),
      ("--app-seconds 3", "--app-seconds is for a program that --app names"),
      ("--app a --expect-as recip", "recipe"),
    ])
    func `is refused with wrong words`(words: String, says: String) throws {
      let quoted = words.replacing("--app 'node x", with: "--app \"'node x\"")
      let ended = try user.shell("exec lab run torn-save \(quoted)")
      #expect(ended.code == 64, "\(ended.output)\(ended.errors)")
      #expect(ended.errors.contains(says), "\(ended.errors)")
      #expect(ended.output.isEmpty)
    }

    @Test func `is told which points it comes to, and what there is`() throws {
      try user.write(AdapterPage.example("python"), to: "app.py")
      let unreached = try run("python3 app.py", "--case", "B0", "--app-seconds", "60")
      #expect(unreached.code == 3, "\(unreached.output)\(unreached.errors)")
      #expect(
        unreached.errors.hasPrefix(
          "NEVER FIRED  the app never comes to B0 (before the blob). That proves nothing.\n"
            + "  reached: S0 (save begins), K0 (before the key), K1 (key written), "),
        "\(unreached.errors)")
      #expect(unreached.errors.contains("--expect-as STORE"))
      let unknown = try run("python3 app.py", "--case", "K7", "--app-seconds", "60")
      #expect(unknown.code == 64)
      #expect(
        unknown.errors.contains(
          "no case with the part 'K7'; nearest: K0   (all: S0 K0 K1 S1 E1)"), "\(unknown.errors)")
    }

    @Test func `is told of the stand-ins that its modules need`() throws {
      try user.require("node", package: "nodejs")
      try user.write("import * as SecureStore from 'expo-secure-store'\n", to: "store.mjs")
      let bare = try run("node store.mjs", "--app-seconds", "60")
      #expect(bare.code == 2)
      #expect(
        bare.errors.contains(
          "\ndo: lab shims ./shims, then --app 'node --import ./shims/register.mjs ...': "
            + "expo-secure-store is one of the stand-ins that it brings\n"), "\(bare.errors)")
      let missing = try run(
        "node --import ./stand-ins/register.mjs store.mjs", "--app-seconds", "60")
      #expect(
        missing.errors.contains("\ndo: lab shims ./stand-ins   (writes register.mjs there)\n"),
        "\(missing.errors)")
      try user.write("import 'lodash'\n", to: "store.mjs")
      let other = try run("node store.mjs", "--app-seconds", "60")
      #expect(other.code == 2 && !other.errors.contains("\ndo: "), "\(other.errors)")
    }

    @Test func `that is not there is said to be so`() throws {
      let ended = try run("no-such-program x")
      #expect(ended.code == 2)
      #expect(ended.errors.contains("could not be started"))
      #expect(ended.errors.contains("No such file or directory"))
    }

    // MARK: - JavaScript

    @Test func `in JavaScript runs as it is, over the modules that its app has`() throws {
      try user.require("node", package: "nodejs")
      let written = try user.lab("shims", "shims")
      #expect(written.code == 0)
      #expect(written.output.contains("register.mjs shims/apps/durable.mjs'"))
      try user.write(
        """
        import AsyncStorage, { useAsyncStorage } from '@react-native-async-storage/async-storage'
        import { AppState, Linking, Platform } from 'react-native'
        import * as SecureStore from 'expo-secure-store'
        import * as WebBrowser from 'expo-web-browser'
        import * as Apple from 'expo-apple-authentication'
        import assert from 'node:assert/strict'
        const hadCrypto = typeof crypto !== 'undefined'
        await import('react-native-get-random-values')
        console.log('this must not get into the way')
        export class LargeSecureStore {
          async getItem(key) {
            return (await useAsyncStorage(key).getItem()) && SecureStore.getItemAsync(key)
          }
          async setItem(key, value) {
            assert.equal(hadCrypto, false)
            assert.equal(AppState.currentState, 'active')
            assert.equal(Platform.OS, 'ios')
            assert.equal(await Linking.getInitialURL(), null)
            assert.equal((await WebBrowser.openAuthSessionAsync('https://a', 'b:')).type, 'cancel')
            await assert.rejects(Apple.signInAsync(), { code: 'ERR_REQUEST_CANCELED' })
            await assert.rejects(SecureStore.setItemAsync('a b', ''), /Invalid key provided to/)
            await assert.rejects(SecureStore.setItemAsync('a', 1), /Values must be strings/)
            await assert.rejects(AsyncStorage.setItem('a', null), /Passing null.undefined as value/)
            assert.equal(Math.floor(Date.now() / 1e9), 1790)
            assert.equal(new Date().getTime(), Date.now())
            await AsyncStorage.multiSet([['a', '1'], ['b', '2']])
            await AsyncStorage.mergeItem('c', '{"d":1}')
            assert.deepEqual(await AsyncStorage.multiGet(['b', 'x', 'a']),
              [['b', '2'], ['x', null], ['a', '1']])
            await AsyncStorage.multiRemove(['a', 'b'])
            assert.equal(await AsyncStorage.getItem('a'), null)
            assert.equal((await AsyncStorage.getAllKeys()).includes('a'), false)
            assert.notDeepEqual(crypto.getRandomValues(new Uint8Array(8)), new Uint8Array(8))
            await SecureStore.setItemAsync(key, value)
            await AsyncStorage.setItem(key, '1')
          }
          async removeItem(key) {
            await SecureStore.deleteItemAsync(key)
            await AsyncStorage.removeItem(key)
          }
        }
        """, to: "store.mjs")
      let ended = try run(
        "node --import ./shims/register.mjs store.mjs", "--case", "S1", "--app-seconds", "60")
      #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
    }

    @Test func `in JavaScript fetches from a server of the lab, and from no other machine`() throws
    {
      try user.require("node", package: "nodejs")
      #expect(try user.lab("shims", "shims").code == 0)
      let serving = try Serving(user)
      try user.write(
        """
        import store from './shims/apps/durable.mjs'
        async function ask(...request) {
          const { status } = await fetch(...request)
          if (status !== 400) throw new Error(`status ${status}`)
        }
        export default {
          getItem: (key) => store.getItem(key),
          removeItem: (key) => store.removeItem(key),
          async setItem(key, value) {
            const url = 'https://demo.supabase.co/auth/v1/token?grant_type=none'
            const request = { method: 'POST', body: '{}' }
            await ask(url, request)
            await ask(new Request(url, request))
            await store.setItem(key, value)
          },
        }
        """, to: "store.mjs")
      let run = "lab run torn-save --phone ios --case S1 --app-seconds 60"
      let app = "--app 'node --import ./shims/register.mjs store.mjs'"
      let ended = try user.shell("LAB_SERVER=\(serving.base) exec \(run) \(app)")
      #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
      serving.process.send(SIGTERM)
      let served = try serving.process.wait()
      #expect((served.output + served.errors).contains("POST /auth/v1/token 400"))
      let other = try user.shell("LAB_SERVER=https://example.com exec \(run) \(app)")
      #expect(other.code == 2)
      #expect(other.errors.contains("LAB_SERVER https://example.com is not on this machine"))
    }

    @Test func `in JavaScript without a store is told so`() throws {
      try user.require("node", package: "nodejs")
      #expect(try user.lab("shims", "shims").code == 0)
      try user.write("export const nothing = 1\n", to: "none.mjs")
      let none = try run("node --import ./shims/register.mjs none.mjs", "--app-seconds", "60")
      #expect(none.code == 2)
      #expect(none.errors.contains("none.mjs exports no store: nothing with getItem, setItem"))
    }

    @Test func `gets no shims over files that somebody has changed`() throws {
      #expect(try user.lab("shims", "shims").code == 0)
      #expect(try user.lab("shims", "shims").code == 0, "the same again")
      try user.write("mine\n", to: "shims/apps/recipe.mjs")
      try user.shell("rm shims/lab.mjs")
      let refused = try user.lab("shims", "shims")
      #expect(refused.code == 2)
      #expect(refused.errors.hasPrefix("lab: shims/apps/recipe.mjs is not as this lab writes it"))
      #expect(try user.read("shims/apps/recipe.mjs") == "mine\n")
      #expect(!user.exists("shims/lab.mjs"), "nothing was written")
      #expect(try user.lab("shims", "shims", "--force").code == 0)
      #expect(try user.read("shims/apps/recipe.mjs") != "mine\n")
    }

    @Test func `gets its shims with the folders above them, or hears why not`() throws {
      let written = try user.lab("shims", "new/folder/shims/")
      #expect(written.code == 0, "\(written.errors)")
      #expect(user.exists("new/folder/shims/apps/durable.mjs"))
      try user.write("mine\n", to: "file")
      let inTheWay = try user.lab("shims", "file/shims")
      #expect(inTheWay.code == 2 && inTheWay.output.isEmpty)
      #expect(inTheWay.errors.contains("something of that name is in the way"))
      try user.shell("mkdir -p other/lab.mjs")
      let folder = try user.lab("shims", "other", "--force")
      #expect(folder.code == 2)
      #expect(folder.errors.contains("other/lab.mjs"), "\(folder.errors)")
      #expect(folder.errors.contains("something of that name is in the way"))
      #expect(try user.read("file") == "mine\n")
    }

    @Test(.enabled(if: geteuid() == 0, "a mount namespace of one's own needs root"))
    func `gets no shims on a full disk or one that cannot be written, and keeps what was there`()
      throws
    {
      try user.shell("mkdir full read-only")
      let full = try user.shell(
        """
        unshare -m sh -c 'mount -t tmpfs -o size=12k none full && mkdir -p full/apps &&
          echo "// mine" > full/lab.mjs && { lab shims full --force; code=$?; cat full/lab.mjs;
          find full -name "*.new"; exit $code; }'
        """)
      #expect(full.code == 2, "\(full.output)\(full.errors)")
      #expect(full.errors.contains("No space left on device.  do: make room"), "\(full.errors)")
      #expect(!full.output.contains(".new"), "no half of a file is left")
      let sealed = try user.shell(
        """
        unshare -m sh -c 'mount --bind read-only read-only &&
          mount -o remount,ro,bind read-only && exec lab shims read-only/shims'
        """)
      #expect(sealed.code == 2)
      #expect(
        sealed.errors.contains("Read-only file system.  do: name a folder"), "\(sealed.errors)")
    }

    @Test func `that is durable keeps the bytes that the store in Swift keeps`() throws {
      try user.require("node", package: "nodejs")
      let ended = try user.shell(
        "exec node '\(Repository.root)/Tests/ForeignApps/durable-vectors.mjs'")
      #expect(ended.code == 0, "\(ended.errors)")
      #expect(ended.output == "105 checks held\n")
    }
  }
}
