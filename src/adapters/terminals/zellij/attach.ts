/**
 * What takes a person to a pane of our session: in it, in another one, elsewhere. In another Zellij
 * that keeps its sessions elsewhere a new session would be made with this name; only their own
 * environment says which, hence a shell. Values come as arguments, never parsed.
 */
export function attachCommand(options: {
  readonly binary: string
  readonly session: string
  readonly socketDir: string
  readonly pane: string
  readonly inside: string | undefined
}): readonly string[] {
  const { binary, session, socketDir, pane, inside } = options
  if (inside === session) return [binary, 'action', 'focus-pane-id', pane]
  if (inside !== undefined) return ['/bin/sh', '-c', SWITCH, binary, session, socketDir, pane]
  return ['/usr/bin/env', `ZELLIJ_SOCKET_DIR=${socketDir}`, binary, 'attach', session]
}

/** A busy session may lose what it is sent (0.45.1): sent again as long as nobody has left it. */
const SWITCH = `if ! ls "$2"/*/"$ZELLIJ_SESSION_NAME" >/dev/null 2>&1; then
  echo "exomonad: this Zellij keeps its sessions elsewhere than in $2, where the agents' session is, and can't switch there. Attach from a terminal outside of it, or start both with the same ZELLIJ_SOCKET_DIR." >&2
  exit 1
fi
here() { "$0" action list-clients | wc -l; }
before=$(here)
for again in 1 2 3; do
  ZELLIJ_SOCKET_DIR="$2" "$0" action switch-session "$1" --pane-id "$3" || exit
  sleep 1
  [ "$(here)" -ge "$before" ] || exit 0
done`
