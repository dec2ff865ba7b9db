import type { PaneId } from '../../../ids.ts'

/**
 * Inside Zellij it switches to our session, elsewhere it attaches: a client begins where the first one is, which the keeper takes to the pane
 * (keeper.ts) and says so by a file; where that was long ago or takes too long, whoever acted last is taken there. A busy Zellij may think that the
 * session is not there, or lose whom it has just let in: it takes each client away twice when that leaves, and the second time whoever got the number
 * meanwhile (0.45.1; 1 of 100 beside four who ask all the time). That is over with the next try. Those who are lost have the exit code of those who
 * leave, so the last of what they are shown is read (Zellij asks /dev/tty for what it has to know of the terminal). Only the person’s own
 * environment tells where they are, hence a shell. Values come as arguments, never parsed.
 */
const SCRIPT = `if [ -n "$ZELLIJ" ] && ! ls "$2"/*/"$ZELLIJ_SESSION_NAME" >/dev/null 2>&1; then
  echo "exomonad: this Zellij keeps its sessions elsewhere than in $2, where the agents' session is, and can't switch there. Attach from a terminal outside of it, or start both with the same ZELLIJ_SOCKET_DIR." >&2
  exit 1
fi
export ZELLIJ_SOCKET_DIR="$2"
if [ -n "$ZELLIJ" ] && [ "$ZELLIJ_SESSION_NAME" = "$1" ]; then exec "$0" action focus-pane-id "$4"; fi
if [ -n "$ZELLIJ" ]; then exec "$0" action switch-session "$1" --pane-id "$4"; fi
tries=80
until [ -e "$3" ] || [ "$tries" -eq 0 ]; do
  tries=$((tries - 1))
  sleep 0.1
done
exec 3>&1
for try in 1 2 3 4 5; do
  "$0" --session "$1" action list-clients 2>/dev/null | grep -q " $4 " || "$0" --session "$1" action focus-pane-id "$4" >/dev/null 2>&1
  rm -f "$3"
  ended=$({
    {
      {
        "$0" attach "$1" 3>&- 4>&- 5>&-
        echo "code $?" >&4
      } | tee /dev/fd/5 >&3
    } 5>&1 | tail -c 1200 | grep -c "lost connection to the zellij server" >&4
  } 4>&1)
  lost=$(echo "$ended" | grep -v code)
  code=\${ended#*code }
  code=\${code%%[!0-9]*}
  if [ "$code$lost" = 00 ] || ! ls "$2"/*/"$1" >/dev/null 2>&1; then break; fi
  sleep 0.2
done
exit "$code"`

/** `ready`: file that is there once the keeper has gone ahead. */
export const attachCommand = (options: { binary: string; session: string; socketDir: string; paneId: PaneId; ready: string }): readonly string[] => [
  '/bin/sh',
  '-c',
  SCRIPT,
  options.binary,
  options.session,
  options.socketDir,
  options.ready,
  options.paneId,
]
