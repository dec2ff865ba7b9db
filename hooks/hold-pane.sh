#!/bin/sh
# Runs an agent in a pane of Zellij: sh hold-pane.sh RECORD SIZE [NAME=VALUE...] -- PROGRAM [ARGUMENT...]
#
# SIZE is that of its terminal, `ROWS COLUMNS`, or - for any.
# RECORD is the beginning of file names of exomonad's: RECORD.pid gets the program's process id, RECORD.ended how it ended (its exit code; above
# 128 a signal). Zellij starts a command that has ended anew at Enter, and puts a shell in its place at Escape: this stays when the program has
# gone, so that neither can happen, and swallows what is typed. Where this was killed itself and Zellij starts it again, it starts nothing twice;
# nor does it where RECORD.json is gone: exomonad has given that pane up.
exomonad_record=$1
exomonad_size=$2
shift 2
# Zellij starts this before it gives the terminal its size (0.45.1), and may have to be made to: a program is not to begin in another one, but rather there
# than never. Of a new size the signal tells, of one that came just before, a look.
trap : WINCH
exomonad_tries=20
while [ "$exomonad_tries" -gt 0 ]; do
  case $(stty size 2>/dev/null) in
    '0 0') ;;
    "$exomonad_size") break ;;
    *) if [ "$exomonad_size" = - ]; then break; fi ;;
  esac
  exomonad_tries=$((exomonad_tries - 1))
  if [ "$exomonad_tries" -ge 10 ]; then exomonad_pause=0.02; else exomonad_pause=0.5; fi
  sleep "$exomonad_pause" &
  wait "$!"
  kill "$!" 2>/dev/null
done
trap - WINCH
if ! [ -e "$exomonad_record.json" ] || ! mkdir "$exomonad_record.started" 2>/dev/null; then
  printf '%s\n' 'exomonad: the program of this pane has ended. Start it again with: exomonad resume AGENT' >&2
  exit 1
fi
# What the multiplexer added: an agent has no business with it.
unset ZELLIJ ZELLIJ_PANE_ID ZELLIJ_SESSION_NAME ZELLIJ_SOCKET_DIR TMUX TMUX_PANE TERM_PROGRAM TERM_PROGRAM_VERSION
# A handler and not '': what is ignored here would be ignored by the program too.
trap : HUP INT QUIT TERM
(
  while [ "$1" != -- ]; do
    export "$1"
    shift
  done
  shift
  exec /bin/sh -c 'echo $$ >"$0.pid~" && mv "$0.pid~" "$0.pid" && exec "$@"' "$exomonad_record" "$@"
)
code=$?
stty raw -echo 2>/dev/null
echo "$code" >"$exomonad_record.ended~" && mv "$exomonad_record.ended~" "$exomonad_record.ended"
trap - HUP INT QUIT TERM
# Nothing that is typed now may reach anything; without a terminal there is nothing to stay for.
exec cat >/dev/null 2>&1
