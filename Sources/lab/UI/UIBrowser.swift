import Glibc
import Linux
import Mount
import Terminal

/// Opens the page in a browser, past the command lines that everybody on this machine can read: what the
/// browser is told is a file of the user's, which leads to the page.
final class UIBrowser {
  private let path: String
  private let opener: ChildProcess

  /// - Throws: `Failure` that ends with 2 when there is no browser to open it.
  init(_ url: String) throws {
    path = "\(try RuntimeFolder.pages.checked())/\(getpid()).html"
    let page = "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=\(url)\">\n"
    try Files.write(path, Array(page.utf8))
    var launch = ChildProcess.Launch(["xdg-open", path])
    launch.descriptors = [nil, nil, nil]
    launch.leavesTerminal = true
    do throws(SystemError) {
      opener = try ChildProcess(launch)
    } catch {
      _ = try? Files.remove(path)
      throw Failure.couldNotRun(
        "xdg-open cannot be started: \(error)", do: "leave --open out, and open the address")
    }
  }

  func close() {
    _ = try? Files.remove(path)
  }
}
