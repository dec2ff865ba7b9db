import { spawn, type ChildProcess } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import type { Exomonad } from './daemon.ts'
import { DAEMON_FLAGS, programs } from './programs.ts'
import { waitFor } from './wait-for.ts'

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'crashing-daemon.ts')

/** A daemon that can be told to kill itself. */
interface Crashing {
  readonly child: ChildProcess
  readonly dead: Promise<void>
  readonly words: () => string
}

/** The last one of each tree, by its state folder. */
const running = new Map<string, Crashing>()
const runs = ({ child }: Crashing): boolean => child.exitCode === null && child.signalCode === null

/** Names kind and step of the crash for as long as it is to come. */
const fuseOf = (tree: Exomonad): string => join(tree.repository.folder, 'crash-at')

/**
 * Has the daemon kill itself at this step. One that can’t, as `exomonad init` starts it, is replaced
 * first.
 */
export async function crashAt(
  tree: Exomonad,
  kind: string,
  step: string,
): Promise<{ dead: Promise<void> }> {
  let crashing = running.get(tree.state)
  if (crashing === undefined || !runs(crashing)) {
    await tree.command(['daemon', 'stop'])
    crashing = await serve(tree)
  }
  writeFileSync(fuseOf(tree), `${kind} ${step}`)
  return { dead: crashing.dead }
}

/**
 * Where none runs: starts one, as `exomonad daemon start` does, that the next `crashAt` needs not
 * replace.
 */
export async function startAgain(tree: Exomonad): Promise<void> {
  await serve(tree)
}

/** Longer than any daemon takes to come to a step, on a machine that may be busy. Milliseconds. */
const ON_THE_WAY = 60_000

/**
 * Where none runs: one that comes to this step by itself, or to the first of several where the
 * daemon may take one way or the other; resolves once it is dead.
 */
export async function crashOnTheWay(
  tree: Exomonad,
  kind: string,
  ...steps: readonly string[]
): Promise<void> {
  writeFileSync(fuseOf(tree), steps.map((step) => `${kind} ${step}`).join('\n'))
  const { child, dead, words } = launch(tree)
  let isLate = false
  const late = setTimeout(() => (isLate = child.kill('SIGKILL')), ON_THE_WAY)
  await dead
  clearTimeout(late)
  if (isLate) throw new Error(`it never came to ${kind} ${steps.join(' or ')}`)
  if (child.signalCode !== 'SIGKILL') throw new Error(`it ended by itself: ${words()}`)
}

async function serve(tree: Exomonad): Promise<Crashing> {
  rmSync(fuseOf(tree), { force: true })
  const crashing = launch(tree)
  await waitFor(
    'the daemon that can crash',
    async () => {
      if (!runs(crashing)) throw new Error(`it ended at once: ${crashing.words()}`)
      return (await tree.daemonPid()) === crashing.child.pid
    },
    { limit: 60_000 },
  )
  return crashing
}

function launch(tree: Exomonad): Crashing {
  const child = spawn(
    process.execPath,
    [...DAEMON_FLAGS, FIXTURE, programs('daemon/daemon'), tree.repository.path, fuseOf(tree)],
    {
      cwd: tree.repository.path,
      env: { ...tree.repository.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let words = ''
  child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()))
  const dead = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const crashing = { child, dead, words: () => words }
  running.set(tree.state, crashing)
  return crashing
}

/** Operations in the journal that are neither finished nor taken back. */
export function openJournal(tree: Exomonad): number {
  const database = new Database(join(tree.state, 'store.db'), { readonly: true })
  try {
    return (
      database.prepare("select count(*) as n from journal where state = 'open'").get() as {
        n: number
      }
    ).n
  } finally {
    database.close()
  }
}
