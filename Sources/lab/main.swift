import Glibc
import Linux
import Terminal

// Before there is a second thread, which would keep a heap of its own for the later ones.
Allocator.shareHeap()

exit(
  Lab.program.run(
    Array(CommandLine.arguments.dropFirst()),
    on: Console.standard(TypedName(Lab.name, calledAs: CommandLine.arguments.first ?? Lab.name))
  ).rawValue)
