import type { PaneId } from '../../../ids.ts'
import { AGENTS } from './open.ts'

/**
 * Inside a client of the same server it switches there, elsewhere (also inside another tmux) it attaches.
 * A shell decides, because only the person's own environment tells; values come as arguments and are never parsed.
 */
const SCRIPT = `
tmux=$1 session=$2 pane=$3 option=$4 socket=$5
case "$TMUX" in
  "$socket",* | */"$socket",*)
    exec "$tmux" "$option" "$socket" select-window -t "$pane" \\; select-pane -t "$pane" \\; switch-client -t "$session" ;;
esac
unset TMUX TMUX_PANE
exec "$tmux" -u "$option" "$socket" attach-session -t "$session" \\; select-window -t "$pane" \\; select-pane -t "$pane"
`

/** The socket's path where it is known: a person's TMUX_TMPDIR may differ from the daemon's. */
export const attachCommand = (binary: string, socketPath: string | undefined, socketName: string, paneId: PaneId): readonly string[] => [
  '/bin/sh',
  '-c',
  SCRIPT,
  'attach',
  binary,
  `=${AGENTS}:`,
  paneId,
  ...(socketPath === undefined ? ['-L', socketName] : ['-S', socketPath]),
]
