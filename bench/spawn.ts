import { join } from 'node:path'
import process from 'node:process'
import { removeTmuxSocket, runProgram } from '../test/helpers/daemon.ts'
import { tempRepository } from '../test/helpers/temp-repository.ts'
import { timed, type Figure } from './figures.ts'
import { benchTree } from './tree.ts'

/** Times the floor is allowed for 20 spawns. */
const ALLOWED = 1.5

const SOCKET = `xbench-${process.pid}`

/** A repository with a few hundred files, as floor and figure both get it. */
const FILES = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`src/part-${index % 20}/file-${index}.txt`, `${index}\n`.repeat(20)]))

/** Spawn of 1, 5 and 20 workers, each with branch, worktree and pane, against the same commands run one after the other by hand. */
export async function measureSpawn(): Promise<Figure[]> {
  const tree = await benchTree({ files: FILES })
  const floors = await floorsOf([1, 5, 20])
  const figures: Figure[] = []
  try {
    for (const [index, count] of [1, 5, 20].entries()) {
      const specs = Array.from({ length: count }, (_, worker) => ({ name: `w${count}-${worker}`, prompt: 'Nothing to do.', agent: 'idle' }))
      const { ms, result } = await timed(() => tree.client.callTool<{ spawned: unknown[]; errors: unknown[] }>('spawn_workers', { specs }))
      if (result.spawned.length !== count) throw new Error(`spawned ${result.spawned.length} of ${count}: ${JSON.stringify(result.errors)}`)
      const floor = floors[index] ?? Number.NaN
      figures.push({
        name: `spawn ${count} worker${count === 1 ? '' : 's'}`,
        unit: 'ms',
        value: ms,
        floorName: 'git worktree add + tmux new-window, serial',
        floor,
        target: count === 20 ? { text: `≤ ${ALLOWED} × the floor`, met: ms <= ALLOWED * floor } : null,
        samples: 1,
      })
    }
  } finally {
    await tree.exomonad.stop()
  }
  return figures
}

async function floorsOf(counts: readonly number[]): Promise<number[]> {
  const repository = await tempRepository({ files: FILES })
  const tmux = (...args: string[]) => runProgram('tmux', ['-L', SOCKET, ...args], { env: repository.env, cwd: repository.path })
  const floors: number[] = []
  try {
    await tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'floor', 'sleep 100000')
    for (const count of counts) {
      const { ms } = await timed(async () => {
        for (let worker = 0; worker < count; worker += 1) {
          const path = join(repository.folder, `floor-${count}-${worker}`)
          await repository.git('worktree', 'add', '-q', '--no-track', '-b', `main.floor-${count}-${worker}`, path)
          const opened = await tmux('new-window', '-d', '-P', '-F', '#{pane_id}', '-c', path, '--', 'sleep', '100000')
          if (opened.code !== 0) throw new Error(`tmux: ${opened.stderr}`)
        }
      })
      floors.push(ms)
    }
  } finally {
    await tmux('kill-server')
    removeTmuxSocket(SOCKET)
    repository.remove()
  }
  return floors
}
