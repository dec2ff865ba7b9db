import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createBubblewrap } from '../../adapters/sandbox/bubblewrap.ts'
import { programFiles } from '../../adapters/sandbox/program-files.ts'
import { machineMounts, toolFolders } from '../../adapters/sandbox/workspace.ts'
import type { Environment } from '../../config/environment.ts'
import type { Exec } from '../../processes/exec.ts'

/** Whether agents can be confined here, and which of these programs start in it. */
export interface SandboxTrial {
  /** Null: they can. */
  readonly missing: { readonly reason: string; readonly fix: string } | null
  /** What each says of its version; null where it does not start. In the order given. */
  readonly programs: readonly { readonly program: string; readonly version: string | null }[]
}

/** Runs each with `--version` as a confined agent would run, in an empty home. */
export async function trySandbox(
  programs: readonly string[],
  { environment, exec }: { readonly environment: Environment; readonly exec: Exec },
): Promise<SandboxTrial> {
  const { path, home } = environment
  const sandbox = createBubblewrap({ exec, env: { PATH: path }, platform: process.platform })
  const found = await sandbox.probe()
  if (found.kind === 'missing') return { missing: found, programs: [] }
  const folder = await mkdtemp(join(tmpdir(), 'exomonad-sandbox-'))
  const start = async (program: string): Promise<string | null> => {
    const reads = [
      ...toolFolders(path.split(delimiter), { home, secret: [join(home, '.ssh')] }),
      ...(await programFiles(program, path)),
    ]
    const confinement = {
      level: 'offline' as const,
      mounts: [
        ...machineMounts({ home, reads }),
        { path: home, source: folder, access: 'write' as const },
        { path: '/tmp', access: 'none' as const },
      ],
      cwd: '/',
      unset: [],
    }
    const { exitCode, stdout } = await exec(
      ...split(await sandbox.argv(confinement, [program, '--version'])),
      { env: { PATH: path, HOME: home, TMPDIR: '/tmp', TERM: 'dumb' }, timeout: 20_000 },
    )
    return exitCode === 0 ? (stdout.trim().split('\n')[0] ?? '') : null
  }
  try {
    const tried: { program: string; version: string | null }[] = []
    for (const program of programs) tried.push({ program, version: await start(program) })
    return { missing: null, programs: tried }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const split = ([file = '', ...args]: readonly string[]): [string, string[]] => [file, args]
