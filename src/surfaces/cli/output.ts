import { ExomonadError } from '../../domain/errors.ts'
import type { CliContext } from './context.ts'
import type { OutputStream } from '../text/terminal.ts'
import { asCommandError } from './file-fault.ts'
import { EXIT_CODES, UsageError, type ExitCode } from './exit-codes.ts'
import { printable } from '../text/printable.ts'

/** A result: the document with --json, else the lines made for people. */
export function present(
  context: CliContext,
  document: unknown,
  lines: () => readonly string[],
  stream = context.terminal.stdout,
): void {
  if (context.options().json) writeJson(context.terminal.stdout, document)
  else writeLines(stream, lines())
}

/** One JSON document: indented for eyes, on one line for programs. */
export function writeJson(stream: OutputStream, document: unknown): void {
  writeJsonText(stream, JSON.stringify(document, null, stream.isTTY === true ? 2 : 0))
}

/** The same on one line wherever it goes, for documents that follow each other. */
export const writeJsonLine = (stream: OutputStream, document: unknown): void =>
  writeJsonText(stream, JSON.stringify(document))

function writeJsonText(stream: OutputStream, text: string): void {
  // JSON can say all of Unicode in ASCII.
  const said =
    stream.exact === undefined
      ? text
      : text.replace(
          /[^\n -~]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
  exactly(stream).write(`${said}\n`)
}

/** For data of others, such as a patch, which may be kept or passed on: it stays as it is. */
export const exactly = (stream: OutputStream): OutputStream => stream.exact ?? stream

export function writeLines(stream: OutputStream, lines: readonly string[]): void {
  if (lines.length > 0) stream.write(`${lines.join('\n')}\n`)
}

/**
 * What went wrong, in words on stderr, and with `json` as a document on stdout. Returns the exit
 * code.
 */
export function reportError(context: CliContext, thrown: unknown, json: boolean): ExitCode {
  const palette = context.palette(context.terminal.stderr)
  if (thrown instanceof UsageError) {
    if (json)
      writeJson(context.terminal.stdout, new ExomonadError('INVALID_ARG', thrown.message).toJSON())
    writeLines(context.terminal.stderr, [`${palette.bad('✗')} ${printable(thrown.message)}`])
    return EXIT_CODES.usage.code
  }
  const error = asCommandError(thrown, context.environment.home)
  if (json) writeJson(context.terminal.stdout, error.toJSON())
  writeLines(context.terminal.stderr, [
    `${palette.bad('✗')} ${printable(error.message)} ${palette.dim(`(${error.code})`)}`,
  ])
  return EXIT_CODES.error.code
}

/**
 * Where a command and its daemon may not have understood each other, because another exomonad was
 * installed meanwhile: says that on stderr.
 */
export async function misunderstanding(context: CliContext, thrown: unknown): Promise<void> {
  if (thrown instanceof UsageError) return
  const { code } = asCommandError(thrown, context.environment.home)
  if (code !== 'INTERNAL' && code !== 'INVALID_ARG') return
  const { otherBuildReason } = await import('./daemon/other-build.ts')
  const reason = await otherBuildReason(context)
  if (reason !== null)
    writeLines(context.terminal.stderr, [
      `${context.palette(context.terminal.stderr).attention('!')} ${reason}`,
    ])
}
