import process from 'node:process'
import { createHost } from '../../src/bin/cli-host.ts'
import { main } from '../../src/bin/cli.ts'
import { readEnvironment } from '../../src/config/environment.ts'
import type { OutputStream } from '../../src/surfaces/text/terminal.ts'
import type { RunResult } from './daemon.ts'

/**
 * As the command line starts the daemon: with the flags of src/bin/cli-host.ts, which are a matter
 * of memory.
 */
const daemonCommand = (bin: string): string[] => [
  process.execPath,
  '--max-semi-space-size=1',
  bin,
  'daemon',
  'run',
  '--json',
]

/**
 * `exomonad init` in this process, with exactly this environment; the daemon it starts is a process
 * as ever, of `bin`. Nearly every test begins with it, and a process of its own costs a third of a
 * second of the processor. That it can be run from a command line is what cli-init.test.ts shows.
 */
export async function initialize(
  args: readonly string[],
  { cwd, env, bin }: { cwd: string; env: Readonly<Record<string, string>>; bin: string },
): Promise<RunResult> {
  const environment = readEnvironment(env)
  const host = createHost(environment)
  const written = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof written): OutputStream => ({
    write: (text, done) => {
      written[name] += text
      done?.()
      return true
    },
  })
  const code = await main(['init', ...args], {
    environment,
    cwd,
    terminal: { stdout: stream('stdout'), stderr: stream('stderr'), stdin: nothing() },
    host: {
      ...host,
      startDaemonProcess: ({ cwd: folder, output }) =>
        host.startApart(daemonCommand(bin), { cwd: folder, env: { ...env }, output }),
    },
    onInterrupt: () => () => undefined,
  })
  return { code, ...written, json: undefined }
}

async function* nothing(): AsyncGenerator<string> {}
