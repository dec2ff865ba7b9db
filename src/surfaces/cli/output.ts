import { asExomonadError, ExomonadError } from '../../errors.ts'
import type { CliContext, OutputStream } from './context.ts'
import { EXIT_CODES, UsageError, type ExitCode } from './exit-codes.ts'
import { printable } from './printable.ts'

/** A result: the document with --json, else the lines made for people. */
export function present(context: CliContext, document: unknown, lines: () => readonly string[]): void {
  if (context.options().json) writeJson(context.terminal.stdout, document)
  else writeLines(context.terminal.stdout, lines())
}

/** One JSON document: indented for eyes, on one line for programs. */
export function writeJson(stream: OutputStream, document: unknown): void {
  stream.write(`${JSON.stringify(document, null, stream.isTTY === true ? 2 : 0)}\n`)
}

export function writeLines(stream: OutputStream, lines: readonly string[]): void {
  if (lines.length > 0) stream.write(`${lines.join('\n')}\n`)
}

/** What went wrong, in words on stderr, and with `json` as a document on stdout. Answers the exit code. */
export function reportError(context: CliContext, thrown: unknown, json: boolean): ExitCode {
  const palette = context.palette()
  if (thrown instanceof UsageError) {
    if (json) writeJson(context.terminal.stdout, new ExomonadError('INVALID_ARG', thrown.message).toJSON())
    writeLines(context.terminal.stderr, [`${palette.bad('✗')} ${printable(thrown.message)}`])
    return EXIT_CODES.usage.code
  }
  const error = asExomonadError(thrown)
  if (json) writeJson(context.terminal.stdout, error.toJSON())
  writeLines(context.terminal.stderr, [`${palette.bad('✗')} ${printable(error.message)} ${palette.dim(`(${error.code})`)}`])
  return EXIT_CODES.error.code
}
