export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * A script that makes a shell complete `exomonad`. All ask `exomonad __complete -- WORDS…`, which
 * prints a line per candidate: the word, a tab, a description; so the scripts never go stale. The
 * words `:files` and `:folders` stand for the shell’s own.
 */
export const completionScript = (shell: Shell): string => SCRIPTS[shell]

const BASH = String.raw`# exomonad completion for bash
_exomonad() {
  local current word words=() candidate colons="" last=-1
  COMPREPLY=()
  # Bash takes acp:NAME for three words.
  for word in "${'$'}{COMP_WORDS[@]:1:COMP_CWORD}"; do
    if (( last >= 0 )) && [[ $word == :* || ${'$'}{words[last]} == *: ]]; then
      words[last]+="$word"
    else
      words[++last]="$word"
    fi
  done
  current="${'$'}{words[last]}"
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && colons="${'$'}{current%"${'$'}{current##*:}"}"
  while IFS=$'\t' read -r candidate _; do
    case $candidate in
      :files) compopt -o default 2>/dev/null; continue ;;
      :folders) compopt -o dirnames 2>/dev/null; continue ;;
    esac
    [[ $candidate == "$current"* ]] && COMPREPLY+=("$(printf '%q' "${'$'}{candidate#"$colons"}")")
  done < <(exomonad __complete -- "${'$'}{words[@]}" 2>/dev/null)
}
complete -F _exomonad exomonad
`

const ZSH = String.raw`#compdef exomonad
# exomonad completion for zsh
_exomonad() {
  local -a candidates
  local line word tab=$'\t'
  while IFS= read -r line; do
    word="${'$'}{line%%$tab*}"
    case $word in
      :files) _files; continue ;;
      :folders) _files -/; continue ;;
    esac
    candidates+=("${'$'}{word//:/\\:}:${'$'}{line#*$tab}")
  done < <(exomonad __complete -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${'$'}{#candidates} )) && _describe 'exomonad' candidates
}
if [[ "${'$'}{funcstack[1]}" == _exomonad ]]; then
  _exomonad "$@"
else
  compdef _exomonad exomonad
fi
`

const FISH = String.raw`# exomonad completion for fish
function __exomonad_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  for line in (exomonad __complete -- $before[2..-1] "$current" 2>/dev/null)
    switch $line
      case ':files*'
        __fish_complete_path "$current"
      case ':folders*'
        __fish_complete_directories "$current" ''
      case '*'
        printf '%s\n' $line
    end
  end
end
complete -c exomonad -f -a '(__exomonad_complete)'
`

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
