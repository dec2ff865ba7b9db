import { spawn } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import type { Exomonad } from './daemon.ts'
import { programs } from './programs.ts'
import { waitFor } from './wait-for.ts'

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'crashing-daemon.ts')

/** Replaces the daemon with one that kills itself at this step; resolves once it serves. */
export async function crashAt(
  tree: Exomonad,
  kind: string,
  step: string,
): Promise<{ dead: Promise<void> }> {
  await tree.command(['daemon', 'stop'])
  const { child, dead, words } = launch(tree, kind, step)
  const serves = async () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`it ended at once: ${words()}`)
    return (await tree.daemonPid()) === child.pid
  }
  await waitFor('the daemon that will crash', serves, { limit: 60_000 })
  return { dead }
}

/** Where none runs: one that comes to this step by itself; resolves once it is dead. */
export async function crashOnTheWay(tree: Exomonad, kind: string, step: string): Promise<void> {
  const { child, dead, words } = launch(tree, kind, step)
  await dead
  if (child.signalCode !== 'SIGKILL') throw new Error(`it ended by itself: ${words()}`)
}

function launch(tree: Exomonad, kind: string, step: string) {
  const child = spawn(
    process.execPath,
    [FIXTURE, programs('daemon/daemon'), tree.repository.path, kind, step],
    {
      cwd: tree.repository.path,
      env: { ...tree.repository.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let words = ''
  child.stderr.on('data', (chunk: Buffer) => (words += chunk.toString()))
  const dead = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return { child, dead, words: () => words }
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
