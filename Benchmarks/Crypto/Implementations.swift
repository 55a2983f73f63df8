import Crypto

/// Every implementation of AES-256-CTR that this machine has.
struct Implementations {
  /// Those in this process, ours first.
  let ciphers: [any CounterCipher]
  /// Those in other languages.
  let scripts: [ScriptPeer]
  /// What they are, and what was not found, for the reader.
  let notes: [String]

  /// The widest kernel's; `nil` where there is none.
  static var kernel: String? { AESKernel.widths.last.map(KernelCipher.name) }

  init(ciphers: [any CounterCipher], scripts: [ScriptPeer], notes: [String]) {
    self.ciphers = ciphers
    self.scripts = scripts
    self.notes = notes
  }

  /// Looks for all of them.
  init() throws {
    ciphers =
      AESKernel.widths.reversed().map { KernelCipher($0) }
      + [try StoreCipher()]
      + Self.libraries.flatMap { library in
        SharedLibrary(library.fileNames).map(library.ciphers) ?? []
      }
    let scripts = [try ScriptPeer.startNode(), try ScriptPeer.startPyaes()].compactMap { $0 }
    let missing =
      Self.libraries.filter { SharedLibrary($0.fileNames) == nil }.map(\.name)
      + [ScriptPeer.node, ScriptPeer.pyaes].filter { name in
        !scripts.contains { $0.name == name }
      }
    self.scripts = scripts
    notes =
      ["the stores use \(cryptoLibraryVersion)."]
      + scripts.map { "\($0.name) is version \($0.version)." }
      + (missing.isEmpty ? [] : ["not on this machine: \(missing.joined(separator: ", "))."])
  }

  private struct Library {
    let name: String
    let fileNames: [String]
    let ciphers: (SharedLibrary) -> [any CounterCipher]
  }

  private static var libraries: [Library] {
    [
      Library(name: "OpenSSL", fileNames: OpenSSLCipher.fileNames) { library in
        OpenSSLCipher.Habit.allCases.compactMap { OpenSSLCipher($0, in: library) }
      },
      Library(name: LibgcryptCipher.name, fileNames: ["libgcrypt.so.20"]) {
        LibgcryptCipher($0).map { [$0] } ?? []
      },
      Library(name: NettleCipher.name, fileNames: ["libnettle.so.8"]) {
        NettleCipher($0).map { [$0] } ?? []
      },
      Library(
        name: MbedTLSCipher.name, fileNames: ["libmbedcrypto.so.16", "libmbedcrypto.so.7"]
      ) {
        MbedTLSCipher($0).map { [$0] } ?? []
      },
    ]
  }

  func end() { for script in scripts { script.end() } }
}
