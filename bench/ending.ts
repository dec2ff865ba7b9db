import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { waitFor } from '../test/helpers/wait-for.ts'
import { atMost, timed, type Figure } from './figures.ts'
import { openStoreOf } from './mail/enroll.ts'
import { benchTree, type BenchTree } from './tree.ts'

const AGENTS = 200
/** By one call: as many as a call takes. */
const AT_ONCE = 50

/** `down` with 200 agents that obey: until the last program is gone, and until it returns. */
export async function measureEnding(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const multiplexer of ['tmux', 'headless'] as const) {
    const tree = await benchTree({ multiplexer })
    try {
      const floor = await floorOf()
      const pids = await openAll(tree)
      const began = performance.now()
      const gone = waitFor('the end of all programs', () => pids.every((pid) => !isThere(pid)), {
        limit: 60_000,
      }).then(() => performance.now() - began)
      const { ms } = await timed(() => tree.client.callTool('down', {}))
      const row = (what: string, value: number, limit: number | null): Figure => ({
        name: `down with ${String(AGENTS)} agents in ${multiplexer}: ${what}`,
        unit: 'ms',
        value,
        floorName: 'SIGTERM to as many, until they are gone',
        floor,
        target: limit === null ? null : atMost(limit, 'ms', value),
        samples: 1,
      })
      figures.push(
        row('until the last program is gone', await gone, 1000),
        row('until it returns', ms, null),
      )
    } finally {
      await tree.exomonad.stop()
    }
  }
  return figures
}

async function openAll(tree: BenchTree): Promise<number[]> {
  for (let from = 0; from < AGENTS; from += AT_ONCE) {
    const specs = Array.from({ length: AT_ONCE }, (_, index) => ({
      name: `w${String(from + index)}`,
      prompt: 'Nothing to do.',
      agent: 'idle',
    }))
    const { spawned, errors } = await tree.client.call('spawn_workers', { specs })
    if (spawned.length !== AT_ONCE)
      throw new Error(`${String(spawned.length)} agents: ${JSON.stringify(errors)}`)
  }
  const store = await openStoreOf(tree)
  const pids = (await store.agents.list({ live: true })).flatMap(({ pid }) =>
    pid === null ? [] : [pid],
  )
  await store.close()
  if (pids.length < AGENTS) throw new Error(`${String(pids.length)} programs run`)
  return pids
}

async function floorOf(): Promise<number> {
  const children: ChildProcess[] = Array.from({ length: AGENTS }, () =>
    spawn('sleep', ['100000'], { detached: true, stdio: 'ignore' }),
  )
  await Promise.all(children.map((child) => once(child, 'spawn')))
  const { ms } = await timed(async () => {
    const gone = Promise.all(children.map((child) => once(child, 'exit')))
    for (const { pid } of children) process.kill(-(pid ?? 0), 'SIGTERM')
    await gone
  })
  return ms
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
