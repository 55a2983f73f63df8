import Linux

/// The process that the others of a phone are forked from: `zygote --rehearsal DIR`, with a socket as
/// standard input.
///
/// It has done what each launch would do first.
enum ZygoteCommand {
  /// - Returns: In each fork, its words; in the zygote `nil`, when its lab is gone.
  static func wordsOfFork(_ arguments: [String]) throws -> [String]? {
    let options = try Options(arguments, allowed: ["rehearsal"])
    try Rehearsal(in: try options.required("rehearsal")).perform()
    return try ZygoteServer.serve()
  }
}
