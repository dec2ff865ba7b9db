import { join } from 'node:path'
import process from 'node:process'
import { openSqliteStore } from '../src/adapters/store/sqlite/open.ts'
import { silentLog } from '../src/runtime/log.ts'
import { runProgram } from '../test/helpers/daemon.ts'
import { BIN } from '../test/helpers/programs.ts'
import { atMost, median, sample, timed, type Figure } from './figures.ts'
import { agentRow } from './rows.ts'
import { bareNode, benchTree, type BenchTree } from './tree.ts'

const AGENTS = 1000
const PANES = 100
const ROUNDS = 10

/**
 * Memory idle and with 100 panes; then, with 1,000 agents in the store (those 100 alive),
 * `tree --json` and a restart of the daemon.
 */
export async function measureThousand(): Promise<Figure[]> {
  const tree = await benchTree()
  const { env } = tree.exomonad.repository
  try {
    const bare = await bareNode(env)
    const node = median(
      await sample(ROUNDS, () => runProgram(process.execPath, ['-e', '0'], { env })),
    )
    const memory = (name: string, value: number, limit: number | null): Figure => ({
      name,
      unit: 'MB',
      value,
      floorName: 'a bare node',
      floor: bare,
      target: limit === null ? null : atMost(limit, 'MB', value),
      samples: 1,
    })
    const figures = [memory('daemon memory, idle', await tree.rss(), null)]
    await openPanes(tree)
    figures.push(memory(`daemon memory, ${PANES} panes`, await tree.rss(), 120))

    await expectExit0(tree, ['daemon', 'stop'])
    await fillStore(join(tree.exomonad.state, 'store.db'))
    const restarts = [await timed(() => expectExit0(tree, ['daemon', 'start']))]
    const view = await tree.client.get<{ counts: { agents: number; live: number } }>('/v1/tree')
    // The root is a place, not an agent: it isn’t counted.
    if (view.counts.agents + 1 < AGENTS || view.counts.live < PANES)
      throw new Error(`not all are back: ${JSON.stringify(view.counts)}`)
    for (let round = 0; round < 2; round += 1) {
      await expectExit0(tree, ['daemon', 'stop'])
      restarts.push(await timed(() => expectExit0(tree, ['daemon', 'start'])))
    }
    const restart = median(restarts.map(({ ms }) => ms))
    const shown = median(
      await sample(ROUNDS, () =>
        runProgram(process.execPath, [BIN, 'tree', '--json'], {
          env,
          cwd: tree.exomonad.repository.path,
        }),
      ),
    )
    const answered = median(await sample(ROUNDS, () => tree.client.get('/v1/tree')))
    const row = (
      name: string,
      value: number,
      target: Figure['target'],
      samples: number,
    ): Figure => ({
      name,
      unit: 'ms',
      value,
      floorName: 'node -e 0',
      floor: node,
      target,
      samples,
    })
    return [
      ...figures,
      row(`tree --json, ${AGENTS} agents, p50`, shown, null, ROUNDS),
      row(`GET /v1/tree, ${AGENTS} agents, p50`, answered, null, ROUNDS),
      row(
        `restart, ${AGENTS} agents of which ${PANES} alive`,
        restart,
        atMost(1000, 'ms', restart),
        restarts.length,
      ),
    ]
  } finally {
    await tree.exomonad.stop()
  }
}

async function expectExit0(tree: BenchTree, args: readonly string[]): Promise<void> {
  const result = await tree.exomonad.run(args)
  if (result.code !== 0)
    throw new Error(`exomonad ${args.join(' ')}: ${result.stdout}${result.stderr}`)
}

async function openPanes(tree: BenchTree): Promise<void> {
  const specs = Array.from({ length: PANES }, (_, index) => ({
    name: `pane-${index}`,
    prompt: 'Nothing to do.',
    agent: 'idle',
  }))
  const { spawned, errors } = await tree.client.call('spawn_workers', { specs })
  if (spawned.length !== PANES)
    throw new Error(`${spawned.length} panes: ${JSON.stringify(errors)}`)
}

/** Ended agents, as many as are missing to the thousand, below the root. */
export async function fillStore(file: string, count = AGENTS): Promise<void> {
  const store = await openSqliteStore({ file, log: silentLog() })
  try {
    const agents = await store.agents.list()
    const root = agents.find(({ kind }) => kind === 'root')
    if (root === undefined) throw new Error('no root in the store')
    await store.transaction(async (tx) => {
      for (let index = agents.length; index < count; index += 1) {
        await tx.agents.insert(
          agentRow({ name: `ended-${index}`, kind: 'worker', parentId: root.id, depth: 1 }),
        )
      }
    })
  } finally {
    await store.close()
  }
}
