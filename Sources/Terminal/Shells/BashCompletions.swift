/// Completions for bash 4.4 or newer; needs no library of completions.
///
/// Three functions answer what may stand where, a `case` each, and one reads the words so far.
enum BashCompletions {
  static func lines(of program: Program) -> [String] {
    let name = "_" + program.name.replacing("-", with: "_")
    return [Shell.bash.headline(program), ""]
      + function("\(name)_value", "What follows an option: fails for one that takes no value.") {
        values(program)
      }
      + function("\(name)_argument", "What the argument with this index may be.") {
        arguments(program)
      } + function("\(name)_options", "The options of a command.") { options(program) }
      + reading.map { $0.replacing("@", with: name) } + ["complete -F \(name) \(program.name)"]
  }

  private static func function(
    _ name: String, _ comment: String, _ cases: () -> [String]
  ) -> [String] {
    ["# \(comment)", "\(name)() {", "  case $1 in"] + cases().map { "    \($0)" }
      + ["  esac", "}", ""]
  }

  private static func values(_ program: Program) -> [String] {
    let common = CommonOptions.all.filter { $0.placeholder != nil }
    return common.map { "*' --\($0.name)') \(assignment($0.offer)) ;;" }
      + program.shownCommands.flatMap { command in
        command.options.filter { $0.placeholder != nil }.map {
          "'\(command.name) --\($0.name)') \(assignment($0.offer)) ;;"
        }
      } + ["*) return 1 ;;"]
  }

  private static func arguments(_ program: Program) -> [String] {
    let first = Offer(program.firstWords.map(\.name))
    let names = Offer(program.shownCommands.map(\.name))
    return ["' 0') \(assignment(first)) ;;", "'help 0') \(assignment(names)) ;;"]
      + program.shownCommands.flatMap { command in
        command.arguments.enumerated().compactMap { index, argument in
          guard argument.count != .afterDashes, !argument.offer.isEmpty else { return nil }
          let place = argument.count == .any || argument.count == .some ? "'*" : "\(index)'"
          return "'\(command.name) \(place)) \(assignment(argument.offer)) ;;"
        }
      }
  }

  private static func options(_ program: Program) -> [String] {
    let common = CommonOptions.all.map { "--\($0.name)" }.joined(separator: " ")
    return ["'') words='\(common) --version' ;;"]
      + program.shownCommands.map { command in
        let names = command.allOptions.map { "--\($0.name)" }
        return "\(command.name)) words='\(names.joined(separator: " "))' ;;"
      }
  }

  private static func assignment(_ offer: Offer) -> String {
    var parts = ["words='\(offer.words.joined(separator: " "))'"]
    if offer.isList { parts.append("kind=list") }
    switch offer.files {
    case .no: break
    case .any: parts.append("kind=files")
    case .folders: parts.append("kind=folders")
    }
    return parts.joined(separator: " ")
  }

  /// `@` stands for the function's name.
  private static let reading = """
    @() {
      local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
      local command='' index=0 behind=0 words='' kind='' prefix='' word i
      COMPREPLY=()
      # bash takes --option=value for three words.
      if [[ $cur == = ]]; then
        cur=''
      elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
      fi
      for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((behind > 0)); then
          ((behind += 1))
        elif [[ $word == -- ]]; then
          behind=1
        elif [[ $word == --* ]]; then
          if [[ ${COMP_WORDS[i + 1]} == = ]]; then
            ((i += 2))
          elif @_value "$command $word"; then
            ((i += 1))
          fi
        elif [[ $word == -* ]]; then
          continue
        elif [[ -z $command ]]; then
          command=$word
        else
          ((index += 1))
        fi
      done
      words='' kind=''
      if ((behind == 1)); then
        kind=commands
      elif ((behind > 1)); then
        kind=files
      elif [[ $prev == --* ]] && @_value "$command $prev"; then
        :
      elif [[ $cur == -* ]]; then
        @_options "$command"
      else
        @_argument "$command $index"
      fi
      if [[ $kind == list && $cur == *,* ]]; then
        prefix=${cur%,*},
        cur=${cur##*,}
      fi
      mapfile -t COMPREPLY < <(
        compgen -P "$prefix" -W "$words" -- "$cur"
        case $kind in
          files) compgen -f -- "$cur" ;;
          folders) compgen -d -- "$cur" ;;
          commands) compgen -c -- "$cur" ;;
        esac
      )
      if [[ $kind == files || $kind == folders ]]; then
        compopt -o filenames 2>/dev/null
      elif [[ $kind == list ]]; then
        compopt -o nospace 2>/dev/null
      fi
      return 0
    }

    """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}
