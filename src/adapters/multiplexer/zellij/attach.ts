import type { PaneId } from '../../../ids.ts'

/** A person who leaves sooner after they came did not do so themselves. Seconds. */
const LOST_WITHIN = 2

/**
 * Inside Zellij it switches to our session, elsewhere it attaches: a client begins where the first one is, which the keeper takes to the pane
 * (keeper.ts) and says so by a file; where that was long ago or takes too long, whoever acted last is taken there. A busy Zellij may think that the
 * session is not there, or lose whom it has just let in: it takes each client away twice when that leaves, and the second time whoever got the number
 * meanwhile (0.45.1; 1 of 100 beside four who ask all the time). Both are over with the next try. Only the person’s own environment tells where they
 * are, hence a shell. Values come as arguments, never parsed.
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
for try in 1 2 3 4 5; do
  "$0" --session "$1" action list-clients 2>/dev/null | grep -q " $4 " || "$0" --session "$1" action focus-pane-id "$4" >/dev/null 2>&1
  rm -f "$3"
  began=$(date +%s)
  "$0" attach "$1"
  code=$?
  if [ "$code" -eq 0 ] && [ $(($(date +%s) - began)) -gt ${String(LOST_WITHIN)} ]; then exit 0; fi
  ls "$2"/*/"$1" >/dev/null 2>&1 || exit "$code"
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
