import { resolve } from 'node:path'
import type { Environment } from '../config/environment.ts'
import type { CliContext, GlobalOptions } from '../surfaces/cli/context.ts'
import type { Terminal } from '../surfaces/text/terminal.ts'
import { currentFolder } from './current-folder.ts'
import { EXIT_CODES, type ExitCode } from '../surfaces/cli/exit-codes.ts'
import type { Elsewhere } from '../surfaces/cli/elsewhere/elsewhere.ts'
import type { Host } from '../surfaces/cli/host.ts'

export interface CliOptions {
  readonly terminal: Terminal
  readonly environment: Environment
  readonly cwd: string
  readonly host: Host
  readonly onInterrupt: (listener: () => void) => () => void
}

/**
 * Runs one command line and returns its exit code (surfaces/cli/exit-codes.ts). Never throws, never
 * ends the process.
 */
export async function main(
  argv: readonly string[],
  given: Partial<CliOptions> = {},
): Promise<number> {
  const options = await completeOptions(given)
  const output = watchOutput(options.terminal)
  const run = await createRun({
    ...options,
    onInterrupt: either(options.onInterrupt, output.onGone),
  })
  const code = await runCommand(argv, options, run)
  return (await output.isWhole()) ? code : EXIT_CODES.error.code
}

async function runCommand(
  whole: readonly string[],
  options: CliOptions,
  run: Run,
): Promise<number> {
  const { buildProgram, commandNamed } = await import('../surfaces/cli/program.ts')
  let argv = whole
  try {
    if (whole.some((word) => /^--host(?:=|$)/.test(word))) {
      argv = await run.goElsewhere(whole)
      const code = await run.there(argv)
      if (code !== null) return code
    }
    const program = await buildProgram(run.context, commandNamed(argv))
    run.use(() => program.opts())
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync([...argv], { from: 'user' })
    return run.exitCode()
  } catch (error) {
    const { CommanderError } = await import('commander')
    const json = argv.includes('--json') || commandNamed(argv) === 'call'
    if (error instanceof CommanderError) return usageError(error, json, options.terminal)
    const { reportError, misunderstanding } = await import('../surfaces/cli/output.ts')
    const code = reportError(run.context, error, json)
    await misunderstanding(run.context, error)
    return code
  }
}

async function completeOptions(given: Partial<CliOptions>): Promise<CliOptions> {
  const environment =
    given.environment ?? (await import('../config/environment.ts')).readEnvironment()
  const terminal = given.terminal ?? process
  return {
    environment,
    terminal: environment.unicode
      ? terminal
      : (await import('../surfaces/text/ascii.ts')).asciiTerminal(terminal),
    cwd: given.cwd ?? currentFolder(environment),
    host: given.host ?? (await import('./cli-host.ts')).createHost(environment),
    onInterrupt:
      given.onInterrupt ??
      ((listener) => {
        process.on('SIGINT', listener)
        process.on('SIGTERM', listener)
        return () => {
          process.off('SIGINT', listener)
          process.off('SIGTERM', listener)
        }
      }),
  }
}

interface Run {
  readonly context: CliContext
  /** Has the context be of the machine that `--host` names; returns the words without it. */
  goElsewhere(argv: readonly string[]): Promise<readonly string[]>
  /** Runs what is to run on that machine; null where it is for here. */
  there(argv: readonly string[]): Promise<number | null>
  use(read: () => Record<string, unknown>): void
  exitCode(): number
}

async function createRun({
  terminal,
  environment,
  cwd,
  host,
  onInterrupt,
}: CliOptions): Promise<Run> {
  const { createPalette } = await import('../surfaces/text/palette.ts')
  const { readVersion } = await import('../runtime/version.ts')
  let read = (): Record<string, unknown> => ({})
  let elsewhere: Elsewhere | null = null
  let exitCode: number = EXIT_CODES.ok.code
  const options = (): GlobalOptions => {
    const { json, as, cwd: folder, color } = read()
    return {
      json: json === true,
      as: typeof as === 'string' ? as : undefined,
      cwd: typeof folder === 'string' && elsewhere === null ? resolve(cwd, folder) : cwd,
      color: color === false ? false : environment.color,
    }
  }
  const context: CliContext = {
    version: readVersion(),
    get elsewhere() {
      return elsewhere
    },
    environment,
    terminal,
    host,
    now: Date.now,
    onInterrupt,
    options,
    palette: (stream = terminal.stdout) => createPalette(options().color ?? stream.isTTY === true),
    // A pseudo-terminal that nobody gave a size has 0 columns.
    width: () =>
      (terminal.stdout.isTTY === true && terminal.stdout.columns) || (environment.columns ?? 100),
    client: async ({ start = true } = {}) => {
      if (elsewhere !== null) return (await elsewhere.link()).client({ as: options().as, start })
      const { connectToDaemon } = await import('../surfaces/cli/connect.ts')
      return connectToDaemon({ cwd: options().cwd, as: options().as, environment, host, start })
    },
    markFailed: () => (exitCode = EXIT_CODES.error.code),
    exitWith: (code) => (exitCode = code),
  }
  return {
    context,
    use: (reader) => (read = reader),
    exitCode: () => exitCode,
    goElsewhere: async (argv) => {
      const [{ takeHost }, { createElsewhere }] = await Promise.all([
        import('../surfaces/cli/elsewhere/target.ts'),
        import('../surfaces/cli/elsewhere/create-elsewhere.ts'),
      ])
      const { host: name, rest } = takeHost(argv)
      if (name !== null)
        elsewhere = await createElsewhere(context, {
          name,
          cwd,
          folder: () => {
            const { cwd: folder } = read()
            return typeof folder === 'string' ? folder : undefined
          },
        })
      return rest
    },
    there: async (argv) => {
      if (elsewhere === null) return null
      return (await import('../surfaces/cli/elsewhere/run-there.ts')).runThere(elsewhere, argv)
    },
  }
}

/** Commander has printed the words already. */
async function usageError(
  error: import('commander').CommanderError,
  json: boolean,
  terminal: Terminal,
): Promise<ExitCode> {
  if (error.exitCode === 0) return EXIT_CODES.ok.code
  if (json) {
    const [{ ExomonadError }, { writeJsonLine }] = await Promise.all([
      import('../domain/errors.ts'),
      import('../surfaces/cli/output.ts'),
    ])
    const message = error.message.replace(/^error: /, '')
    writeJsonLine(terminal.stdout, new ExomonadError('INVALID_ARG', message).toJSON())
  }
  return EXIT_CODES.usage.code
}

type Subscribe = CliOptions['onInterrupt']

const either =
  (one: Subscribe, other: Subscribe): Subscribe =>
  (listener) => {
    const stops = [one(listener), other(listener)]
    return () => stops.forEach((stop) => stop())
  }

/**
 * `exomonad … | head` is no fault. Output that can’t be written is one, whatever was done: whoever
 * reads it would take less for all. Either way nobody reads on, so that what follows something ends
 * as by Ctrl-C.
 */
function watchOutput({ stdout, stderr }: Terminal): {
  isWhole(): Promise<boolean>
  onGone: Subscribe
} {
  let failed = false
  let gone = false
  const listeners = new Set<() => void>()
  for (const stream of [stdout, stderr]) {
    const emitter = stream as unknown as {
      on?: (event: string, listener: (error: NodeJS.ErrnoException) => void) => unknown
    }
    emitter.on?.('error', (error) => {
      if (stream === stdout && !gone) {
        gone = true
        for (const listener of listeners) listener()
      }
      if (error.code === 'EPIPE' || failed) return
      failed = true
      if (stream === stdout)
        stderr.write(
          `✗ The output could not be written: ${error.message}. What was asked for may have been done.\n`,
        )
    })
  }
  return {
    onGone: (listener) => {
      listeners.add(listener)
      if (gone) queueMicrotask(listener)
      return () => void listeners.delete(listener)
    },
    isWhole: async () => {
      if ('writableLength' in stdout)
        await new Promise<void>((resolve) => stdout.write('', () => resolve()))
      return !failed
    },
  }
}
