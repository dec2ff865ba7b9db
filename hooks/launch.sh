#!/bin/sh
# Becomes an agent: sh launch.sh FILE
#
# FILE is a shell script of assignments (0600, rendered by exomonad) that sets the agent's environment and, with `set --`,
# its arguments. It may hold secrets, so it is gone before the agent runs, and nothing of it stands in any argv.
if [ $# -ne 1 ] || [ ! -f "$1" ]; then
  printf '%s\n' "exomonad: there is no launch file ${1-} (it is used once). Start the agent with: exomonad resume AGENT" >&2
  exit 126
fi
unset exomonad_launch_text
exomonad_launch_text=$(cat -- "$1") || exit 126
rm -f -- "$1" || exit 126
eval "$exomonad_launch_text"
unset exomonad_launch_text
if [ $# -eq 0 ] || [ -z "$1" ]; then
  printf '%s\n' 'exomonad: the launch file names no program.' >&2
  exit 126
fi
if ! command -v -- "$1" >/dev/null 2>&1; then
  if [ -e "$1" ]; then
    printf '%s\n' "exomonad: $1 can't be run: it is not an executable file." >&2
    exit 126
  fi
  printf '%s\n' "exomonad: the program $1 is not there. Install it, or correct [agents.NAME] command in .exomonad/config.toml." >&2
  exit 127
fi
exec "$@"
