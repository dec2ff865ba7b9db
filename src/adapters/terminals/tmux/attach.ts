import type { PaneId } from '../../../domain/ids.ts'
import { AGENTS } from './open.ts'

/**
 * Inside a client of the same server it switches there, elsewhere (also inside another tmux) it
 * attaches. tmux has no command for both, and only the person’s own environment says which: a shell
 * decides, in one line that can be read and pasted. Values come as arguments, never parsed. Where
 * the server is gone, it starts none.
 */
const SCRIPT =
  'case "$TMUX" in *"$2",*) exec "$0" "$1" "$2" switch-client -t "$3" ;; esac; unset TMUX TMUX_PANE; exec "$0" -u -N "$1" "$2" attach-session -t "$3"'

/** The socket's path where it is known: a person's TMUX_TMPDIR may differ from the daemon's. */
export const attachCommand = (
  binary: string,
  socketPath: string | undefined,
  socketName: string,
  paneId: PaneId,
): readonly string[] => [
  '/bin/sh',
  '-c',
  SCRIPT,
  binary,
  ...(socketPath === undefined ? ['-L', socketName] : ['-S', socketPath]),
  // With a pane in it, the target selects the window and the pane as well.
  `=${AGENTS}:.${paneId}`,
]
