import Glibc

exit(Subcommand.run(Array(CommandLine.arguments.dropFirst())))
