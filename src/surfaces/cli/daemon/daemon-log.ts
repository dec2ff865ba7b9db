import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { readIfThere } from '../../../config/user-state.ts'
import type { Paths } from '../../../runtime/paths.ts'
import type { CliContext } from '../context.ts'
import { daemonOutput } from './daemon-process.ts'
import type { Palette } from '../../text/palette.ts'
import { printable } from '../../text/printable.ts'
import { timeOfDay } from '../../text/relative-time.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/** Prints the end of the daemon’s log, as it stands with --json, else in columns. */
export async function printDaemonLog(
  context: CliContext,
  paths: Paths,
  options: { lines: number; follow?: boolean },
): Promise<void> {
  const show = (line: string): void => {
    if (line !== '')
      context.terminal.stdout.write(
        `${context.options().json ? line : formatLogLine(line, context.palette())}\n`,
      )
  }
  const text = (await readIfThere(paths.log)) ?? ''
  const lines = text.split('\n').filter((line) => line !== '')
  for (const line of options.lines > 0 ? lines.slice(-options.lines) : []) show(line)
  if (lines.length === 0)
    for (const line of ((await readIfThere(daemonOutput(paths))) ?? '').split('\n')) show(line)
  if (options.follow === true) await follow(context, paths.log, Buffer.byteLength(text), show)
}

/**
 * New lines as they are written, until Ctrl-C; from the beginning again where the file was rotated.
 */
async function follow(
  context: CliContext,
  file: string,
  from: number,
  show: (line: string) => void,
): Promise<void> {
  let at = from
  let stopped = false
  await new Promise<void>((resolve) => {
    const unsubscribe = context.onInterrupt(() => {
      stopped = true
      unsubscribe()
      resolve()
    })
    const look = async (): Promise<void> => {
      const size = (await stat(file).catch(() => undefined))?.size ?? 0
      if (size < at) at = 0
      if (size > at) {
        for await (const line of createInterface({
          input: createReadStream(file, { start: at, end: size - 1 }),
        }))
          show(line)
        at = size
      }
      if (!stopped) setTimeout(() => void look(), 200)
    }
    void look()
  })
}

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

export function formatLogLine(line: string, palette: Palette): string {
  let entry: Record<string, unknown>
  try {
    entry = parseJson(line) as Record<string, unknown>
  } catch {
    return printable(line)
  }
  const { level, time, msg, ...rest } = entry
  const name = LEVELS[Number(level)] ?? ''
  const paint =
    Number(level) >= 50 ? palette.bad : Number(level) >= 40 ? palette.attention : palette.dim
  const facts = Object.entries(rest)
    .map(
      ([key, value]) =>
        `${key}=${typeof value === 'string' ? value : JSON.stringify(isError(value) ? value.message : value)}`,
    )
    .join(' ')
  return `${palette.dim(timeOfDay(Date.parse(String(time))))} ${paint(name.padEnd(5))} ${printable(String(msg ?? ''))} ${palette.dim(printable(facts))}`.trimEnd()
}

/** Errors are logged with their stack; for eyes the words do, and --json has the rest. */
const isError = (value: unknown): value is { message: string } =>
  typeof value === 'object' &&
  value !== null &&
  'message' in value &&
  typeof value.message === 'string' &&
  'stack' in value
