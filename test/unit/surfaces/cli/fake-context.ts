import { Command } from 'commander'
import { readEnvironment } from '../../../../src/config/environment.ts'
import {
  withTypedCalls,
  type CallOptions,
  type Exchanges,
} from '../../../../src/surfaces/client.ts'
import type { CommandModule } from '../../../../src/surfaces/cli/command-module.ts'
import type { CliContext } from '../../../../src/surfaces/cli/context.ts'
import type { Host } from '../../../../src/surfaces/cli/host.ts'
import { createPalette } from '../../../../src/surfaces/text/palette.ts'

/**
 * What a tool returns; gets its input, the signal of the call, and whom to notify how far it is.
 */
type Answer = (
  input: any,
  signal: AbortSignal | undefined,
  progress: CallOptions['progress'],
) => unknown

export interface FakeOptions {
  readonly tools: Readonly<Record<string, Answer>>
  readonly json?: boolean
  /** Standard error is a terminal of this size. */
  readonly terminal?: { readonly columns: number; readonly rows: number }
  readonly input?: string
  /** Standard output is a terminal, in which programs end so: with this code, at this time. */
  readonly runs?: (
    argv: readonly string[],
    given?: Parameters<Host['runOnTerminal']>[2],
  ) => { code: number; at: number }
  /** What git prints; undefined where it says no. */
  readonly git?: (...args: readonly string[]) => string | undefined
  /** Of the command line and the environment. */
  readonly color?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** What another machine is called whose repository it is for. */
  readonly elsewhere?: string
}

/** Runs one command with tools that answer as given, and keeps what it says and asks. */
export function fakeRun(
  module: CommandModule,
  { tools, json = false, terminal, input = '', runs, git, color, env = {}, elsewhere }: FakeOptions,
) {
  let now = 0
  const said: { out: string; err: string; failed: boolean; code?: number } = {
    out: '',
    err: '',
    failed: false,
  }
  const calls: { tool: string; input: unknown }[] = []
  const interrupts = new Set<() => void>()
  const client = withTypedCalls({
    callTool: async (tool, given, options) => {
      calls.push({ tool, input: given })
      const answer = tools[tool]
      if (answer === undefined) throw new Error(`nobody expected ${tool}`)
      return answer(given, options?.signal, options?.progress)
    },
  } as Partial<Exchanges> as Exchanges)
  const context: CliContext = {
    version: '0.0.0',
    environment: readEnvironment({ HOME: '/nowhere', ...env }),
    elsewhere:
      elsewhere === undefined ? null : ({ target: { name: elsewhere } } as CliContext['elsewhere']),
    terminal: {
      stdout: { isTTY: runs !== undefined, write: (text) => ((said.out += text), true) },
      stderr: {
        isTTY: terminal !== undefined,
        ...terminal,
        write: (text) => ((said.err += text), true),
      },
      stdin: (async function* () {
        yield input
      })(),
    },
    host: {
      run: async (_file, args) => {
        const stdout = git?.(...args)
        const ended = { signal: null, stderr: '', timedOut: false, startError: null }
        return { ...ended, exitCode: stdout === undefined ? 1 : 0, stdout: stdout ?? '' }
      },
      runOnTerminal: async (argv, _cwd, given) => {
        if (runs === undefined) throw new Error('there is no terminal')
        const { code, at } = runs(argv, given)
        now = at
        return code
      },
    } as Partial<Host> as Host,
    now: () => now,
    onInterrupt: (listener) => (interrupts.add(listener), () => void interrupts.delete(listener)),
    options: () => ({ json, as: undefined, cwd: '/', color: color ?? null }),
    palette: () => createPalette(false),
    width: () => 100,
    client: async () => client,
    markFailed: () => (said.failed = true),
    exitWith: (code) => (said.code = code),
  }
  return {
    said,
    calls,
    interrupt: () => interrupts.forEach((listener) => listener()),
    run: async (...argv: string[]): Promise<void> => {
      const command = new Command('under-test')
        .exitOverride()
        .configureOutput({ writeErr: (text) => void (said.err += text) })
      module.define(command, context, async () => command)
      await command.parseAsync(argv, { from: 'user' })
    },
  }
}
