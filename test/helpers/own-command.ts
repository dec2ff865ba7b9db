import process from 'node:process'
import { inspectRepository } from '../../src/adapters/git/repository.ts'
import { openGit } from '../../src/adapters/git/open.ts'
import { createHost } from '../../src/bin/cli-host.ts'
import { main } from '../../src/bin/cli.ts'
import { gitEnvironment, readEnvironment } from '../../src/config/environment.ts'
import type { OutputStream } from '../../src/surfaces/text/terminal.ts'
import type { RunResult } from './daemon.ts'
import { startPooledDaemon } from './daemon-pool.ts'
import { exec } from './exec.ts'
import { BIN, DAEMON_FLAGS } from './programs.ts'

/** What Node reads when a process starts: a daemon with that is in no process of before. */
const AT_START = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS']

/**
 * A command of ours in this process, with exactly this environment; a daemon that it starts has one
 * of its own as ever (daemon-pool.ts). Tests run so many that processes of their own (a sixth to
 * half a second of the processor each) would be much of what the suite takes. That commands can be
 * run from a command line is shown in test/integration/cli.
 */
export async function ownCommand(
  args: readonly string[],
  {
    cwd,
    env,
    bin,
    input = '',
  }: {
    cwd: string
    env: Readonly<Record<string, string>>
    bin: string
    input?: string | undefined
  },
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
  const code = await main(args, {
    environment,
    cwd,
    terminal: { stdout: stream('stdout'), stderr: stream('stderr'), stdin: read(input) },
    host: {
      ...host,
      // A worker of the tests is copied for each process that it starts itself.
      run: (file, given, options) => exec(file, given, { env: environment.variables, ...options }),
      inspectRepository: (folder) => inspectRepository(folder, gitEnvironment(environment), exec),
      git: async (commonDir) =>
        openGit({ commonDir, environment: gitEnvironment(environment), exec }),
      startDaemonProcess: async ({ cwd: folder, output }) =>
        bin === BIN && !AT_START.some((name) => name in env)
          ? startPooledDaemon({ cwd: folder, env, output })
          : host.startApart([process.execPath, ...DAEMON_FLAGS, bin, 'daemon', 'run', '--json'], {
              ...{ cwd: folder, env: { ...env }, output },
            }),
    },
    onInterrupt: () => () => undefined,
  })
  return { code, ...written, json: parseJson(written.stdout) }
}

export function parseJson(text: string): any {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function* read(input: string): AsyncGenerator<string> {
  if (input !== '') yield input
}
