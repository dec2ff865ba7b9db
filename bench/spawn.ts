import { join } from 'node:path'
import process from 'node:process'
import { removeTmuxSocket, runProgram, type RunResult } from '../test/helpers/daemon.ts'
import { tempRepository, type TempRepository } from '../test/helpers/temp-repository.ts'
import { median, timed, type Figure } from './figures.ts'
import { benchTree, type BenchTree } from './tree.ts'

/** Times the floor is allowed for 20 spawns. */
const ALLOWED = 1.5

const SOCKET = `xbench-${process.pid}`

/** A repository with a few hundred files, as floor and figure both get it. */
const FILES = Object.fromEntries(
  Array.from({ length: 200 }, (_, index) => [
    `src/part-${index % 20}/file-${index}.txt`,
    `${index}\n`.repeat(20),
  ]),
)

/**
 * Times each count is spawned, in turn with its floor, so that what else the machine does hits both
 * alike.
 */
const ROUNDS = 3

/**
 * Spawn of 1, 5 and 20 workers, each with branch, worktree and pane, in tmux and in terminals of
 * our own, against the same commands by hand.
 */
export async function measureSpawn(): Promise<Figure[]> {
  return [...(await measureIn('tmux')), ...(await measureIn('headless'))]
}

/** The floor is tmux in both: it is what a person without exomonad would type. */
async function measureIn(multiplexer: 'tmux' | 'headless'): Promise<Figure[]> {
  const tree = await benchTree({ files: FILES, multiplexer })
  const repository = await tempRepository({ files: FILES })
  try {
    await tmux(repository, '-f', '/dev/null', 'new-session', '-d', '-s', 'floor', 'sleep 100000')
    const figures: Figure[] = []
    for (const count of [1, 5, 20]) {
      const samples: number[] = []
      const floors: number[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        floors.push(await spawnByHand(repository, `${count}-${round}`, count))
        samples.push(await spawn(tree, `${count}-${round}`, count))
      }
      const [value, floor] = [median(samples), median(floors)]
      figures.push({
        name: `spawn ${count} worker${count === 1 ? '' : 's'} in ${multiplexer}, median`,
        unit: 'ms',
        value,
        floorName: 'git worktree add + tmux new-window, serial',
        floor,
        target:
          count === 20 ? { text: `≤ ${ALLOWED} × the floor`, met: value <= ALLOWED * floor } : null,
        samples: ROUNDS,
      })
    }
    return figures
  } finally {
    await tmux(repository, 'kill-server')
    removeTmuxSocket(SOCKET)
    repository.remove()
    await tree.exomonad.stop()
  }
}

const tmux = (repository: TempRepository, ...args: string[]): Promise<RunResult> =>
  runProgram('tmux', ['-L', SOCKET, ...args], { env: repository.env, cwd: repository.path })

async function spawn(tree: BenchTree, round: string, count: number): Promise<number> {
  const specs = Array.from({ length: count }, (_, worker) => ({
    name: `w-${round}-${worker}`,
    prompt: 'Nothing to do.',
    agent: 'idle',
  }))
  const { ms, result } = await timed(() => tree.client.call('spawn_workers', { specs }))
  if (result.spawned.length !== count)
    throw new Error(
      `spawned ${result.spawned.length} of ${count}: ${JSON.stringify(result.errors)}`,
    )
  return ms
}

async function spawnByHand(
  repository: TempRepository,
  round: string,
  count: number,
): Promise<number> {
  const { ms } = await timed(async () => {
    for (let worker = 0; worker < count; worker += 1) {
      const path = join(repository.folder, `floor-${round}-${worker}`)
      await repository.git(
        'worktree',
        'add',
        '-q',
        '--no-track',
        '-b',
        `main.floor-${round}-${worker}`,
        path,
      )
      const opened = await tmux(
        repository,
        'new-window',
        '-d',
        '-P',
        '-F',
        '#{pane_id}',
        '-c',
        path,
        '--',
        'sleep',
        '100000',
      )
      if (opened.code !== 0) throw new Error(`tmux: ${opened.stderr}`)
    }
  })
  return ms
}
