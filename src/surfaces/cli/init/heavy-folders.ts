import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type { Exec } from '../../../processes/exec.ts'

/** A folder that work needs and git ignores, and how new worktrees should come by it. */
export interface HeavyFolder {
  readonly folder: string
  readonly lockfile: string
  readonly bytes: number
  readonly files: number
  /** What a copy of it took; null: longer than is waited for. */
  readonly seconds: number | null
  readonly why: string
  /** Lines of the configuration, below `[worktree]` and as tables of their own. */
  readonly include: readonly string[]
  readonly setup: readonly SetupProposal[]
}
interface SetupProposal {
  readonly run: readonly string[]
  readonly key?: readonly string[]
  readonly outputs?: readonly string[]
}

/** `moves`: whether what a command makes works in another folder as well. */
type Known = { readonly lockfile: string; readonly folder: string } & (
  | { readonly run: readonly string[]; readonly moves: boolean }
  | { readonly include: 'reflink' }
)

const PIP = 'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt'
const KNOWN: readonly Known[] = [
  { lockfile: 'package-lock.json', folder: 'node_modules', run: ['npm', 'ci'], moves: true },
  { lockfile: 'npm-shrinkwrap.json', folder: 'node_modules', run: ['npm', 'ci'], moves: true },
  ...(
    [
      ['pnpm-lock.yaml', 'pnpm'],
      ['yarn.lock', 'yarn'],
      ['bun.lock', 'bun'],
      ['bun.lockb', 'bun'],
    ] as const
  ).map(([lockfile, program]) => ({
    ...{ lockfile, folder: 'node_modules', moves: true },
    run: [program, 'install', '--frozen-lockfile'],
  })),
  { lockfile: 'composer.lock', folder: 'vendor', run: ['composer', 'install'], moves: true },
  { lockfile: 'Gemfile.lock', folder: 'vendor/bundle', run: ['bundle', 'install'], moves: true },
  { lockfile: 'uv.lock', folder: '.venv', run: ['uv', 'sync', '--frozen'], moves: false },
  { lockfile: 'poetry.lock', folder: '.venv', run: ['poetry', 'install'], moves: false },
  { lockfile: 'requirements.txt', folder: '.venv', run: ['sh', '-c', PIP], moves: false },
  { lockfile: 'Cargo.lock', folder: 'target', include: 'reflink' },
]

/** Longer than that nobody waits at an init. Milliseconds. */
const MEASURED_FOR = 5_000

/**
 * Folders of a worktree that a lockfile beside them explains, with their size and the time that a
 * copy takes. `ignored`: what git ignores there; `scratch`: a folder for the copies.
 */
export async function findHeavyFolders({
  worktree,
  ignored,
  scratch,
  run,
  path,
}: {
  worktree: string
  ignored: readonly string[]
  scratch: string
  run: Exec
  path: string
}): Promise<HeavyFolder[]> {
  const found: HeavyFolder[] = []
  for (const known of KNOWN) {
    const { folder, lockfile } = known
    if (found.some((other) => other.folder === folder)) continue
    const isIgnored = ignored.some((entry) => `${folder}/`.startsWith(entry) && entry.endsWith('/'))
    if (!isIgnored || !(await isThere(join(worktree, lockfile)))) continue
    const nested = ignored.some((entry) => entry.endsWith(`/${folder}/`))
    found.push({
      ...{ folder, lockfile },
      ...(await measure(join(worktree, folder), { scratch, run, path })),
      ...proposal(known, nested),
    })
  }
  return found
}

function proposal(known: Known, nested: boolean): Pick<HeavyFolder, 'why' | 'include' | 'setup'> {
  if ('include' in known)
    return {
      why: 'it comes where the file system makes copies that share their blocks, and is built anew elsewhere',
      include: [`{ path = ${quote(known.folder)}, method = ${quote(known.include)} }`],
      setup: [],
    }
  const { run, moves, folder, lockfile } = known
  if (!moves)
    return {
      why: 'it holds paths of its own folder, so that it is made in each worktree',
      include: [],
      setup: [{ run }],
    }
  return {
    why: 'it is made once for each content of its lockfile, and copied',
    include: [],
    setup: [{ run, key: [lockfile], outputs: [nested ? `**/${folder}` : folder] }],
  }
}

/** The lines of a configuration that has none of it. */
export function configurationOf(folders: readonly HeavyFolder[]): string[] {
  const include = folders.flatMap((folder) => folder.include)
  const list = (words: readonly string[]): string => `[${words.map(quote).join(', ')}]`
  return [
    ...(include.length === 0 ? [] : ['[worktree]', `include = [${include.join(', ')}]`]),
    ...folders
      .flatMap((folder) => folder.setup)
      .flatMap(({ run, key, outputs }) => [
        '[[worktree.setup]]',
        `run = ${list(run)}`,
        ...(key === undefined ? [] : [`key = ${list(key)}`]),
        ...(outputs === undefined ? [] : [`outputs = ${list(outputs)}`]),
      ]),
  ]
}

const quote = (text: string): string => JSON.stringify(text)

async function measure(
  place: string,
  { scratch, run, path }: { scratch: string; run: Exec; path: string },
): Promise<Pick<HeavyFolder, 'bytes' | 'files' | 'seconds'>> {
  const env = { PATH: path }
  const [size, names] = await Promise.all([
    run('du', ['-sk', '--', place], { env }),
    run('find', [place, '-type', 'f', '-print0'], { env }),
  ])
  const flags = process.platform === 'linux' ? ['-a', '--reflink=auto'] : ['-a']
  const started = performance.now()
  const copied = await run('cp', [...flags, '--', place, scratch], {
    ...{ env, timeout: MEASURED_FOR, group: true },
  })
  const seconds = (performance.now() - started) / 1000
  await rm(scratch, { recursive: true, force: true })
  return {
    bytes: 1024 * (Number.parseInt(size.stdout, 10) || 0),
    files: names.stdout.split('\0').length - 1,
    seconds: copied.exitCode === 0 ? seconds : null,
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
