export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * A script that makes a shell complete `exomonad`. All ask `exomonad __complete -- WORDS…`, which answers a line per candidate:
 * the word, a tab, a description; so the scripts never go stale.
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
    [[ $candidate == "$current"* ]] && COMPREPLY+=("$(printf '%q' "${'$'}{candidate#"$colons"}")")
  done < <(exomonad __complete -- "${'$'}{words[@]}" 2>/dev/null)
  if [[ ${'$'}{#COMPREPLY[@]} -eq 0 ]]; then
    compopt -o default 2>/dev/null
  fi
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
    candidates+=("${'$'}{word//:/\\:}:${'$'}{line#*$tab}")
  done < <(exomonad __complete -- "${'$'}{(@)words[2,CURRENT]}" 2>/dev/null)
  if (( ${'$'}{#candidates} )); then
    _describe 'exomonad' candidates
  else
    _files
  fi
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
  exomonad __complete -- $before[2..-1] "$current" 2>/dev/null
end
complete -c exomonad -f -a '(__exomonad_complete)'
`

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
