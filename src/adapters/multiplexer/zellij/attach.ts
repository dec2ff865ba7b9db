import type { PaneId } from '../../../ids.ts'

/**
 * Inside Zellij it switches to our session, elsewhere it attaches: a client begins where the first one is, which the keeper takes to the pane
 * (keeper.ts) and says so by a file; where that was long ago or takes too long, whoever acted last is taken there. Of a busy server Zellij may
 * think that it is not there. Only the person’s own environment tells where they are, hence a shell. Values come as arguments, never parsed.
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
"$0" --session "$1" action list-clients 2>/dev/null | grep -q " $4 " || "$0" --session "$1" action focus-pane-id "$4" >/dev/null 2>&1
rm -f "$3"
tries=5
until "$0" attach "$1"; do
  tries=$((tries - 1))
  if [ "$tries" -eq 0 ] || ! ls "$2"/*/"$1" >/dev/null 2>&1; then exit 1; fi
  sleep 0.2
done`

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
