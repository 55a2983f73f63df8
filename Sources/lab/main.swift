import Glibc
import Terminal

exit(
  Lab.program.run(Array(CommandLine.arguments.dropFirst()), on: Console.standard()).rawValue)
