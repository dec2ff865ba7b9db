/**
 * What every command’s exit code means; `run --wait` has those of its command. docs/reference.md is
 * generated from this table.
 */
export const EXIT_CODES = {
  ok: { code: 0, meaning: 'Done; for a dry run or a question, answered.' },
  error: {
    code: 1,
    meaning:
      'It failed, wholly or in part: words on stderr, and with --json (or `call`) the error as JSON on stdout.',
  },
  usage: { code: 2, meaning: 'The command line was wrong; nothing was tried.' },
} as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]['code']

/** The command line is wrong: exit code 2 and a pointer to --help. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
