import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'
import { withoutDescriptors } from '../../processes/host/inherited.ts'
import type { OpenPane } from './holder.ts'

/** What a multiplexer puts into its panes' environment: an agent has no business with it. */
const MULTIPLEXER_VARIABLES =
  'TMUX TMUX_PANE ZELLIJ ZELLIJ_PANE_ID ZELLIJ_SESSION_NAME TERM_PROGRAM TERM_PROGRAM_VERSION'

/**
 * The words a multiplexer starts for `argv`. The shell only takes away what the multiplexer added
 * and becomes the program: the arguments are never parsed, the process id stays, and a program that
 * is missing is named on the screen (exit 127 or 126).
 */
export const programOf = (argv: readonly string[]): string[] => [
  '/bin/sh',
  '-c',
  BECOME,
  'exomonad',
  ...argv,
]

/**
 * tmux 3.3a may drop what a program wrote in the instant before it ended, where it notices the end
 * first (with the pipe of tmux/open.ts seldom): with it would go why nothing could be started. So a
 * shell that could not become the program stays for a moment (bash ends without its trap, but for
 * execfail).
 */
const BECOME = `unset ${MULTIPLEXER_VARIABLES}; trap 'sleep 0.2' EXIT; [ -z "$BASH_VERSION" ] || shopt -s execfail; exec "$@"; exit`

/**
 * The same for a host that leaves descriptors open to the programs it starts: the terminals of
 * other agents among them.
 */
export const programWithoutDescriptors = (argv: readonly string[]): string[] =>
  withoutDescriptors(programOf(argv))

/** A control character would break lists of panes. */
export const titleOf = (name: string): string => name.replace(/\p{Cc}+/gu, ' ').slice(0, 80)

/**
 * Throws INVALID_ARG for what no multiplexer could open; tmux would quietly start in the home
 * folder instead.
 */
export async function checkOpen({ cwd, argv, columns, rows }: OpenPane): Promise<void> {
  const folder = isAbsolute(cwd) ? await stat(cwd).catch(() => undefined) : undefined
  if (folder?.isDirectory() !== true) {
    throw new ExomonadError(
      'INVALID_ARG',
      `The folder "${cwd}" that a pane should start in is not there. Give the absolute path of a folder.`,
      { cwd },
    )
  }
  if (argv.length === 0)
    throw new ExomonadError(
      'INVALID_ARG',
      'A pane needs a program to run. Give at least one argument.',
    )
  if (![columns, rows].every((size) => Number.isInteger(size) && size >= 2 && size <= 10_000)) {
    throw new ExomonadError(
      'INVALID_ARG',
      `A pane can't be ${String(columns)}×${String(rows)} large. Give columns and rows from 2 to 10000.`,
      {
        columns,
        rows,
      },
    )
  }
}
