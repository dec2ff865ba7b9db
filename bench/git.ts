import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { startExomonad } from '../test/helpers/daemon.ts'
import { waitFor } from '../test/helpers/wait-for.ts'
import { atMost, median, type Figure } from './figures.ts'
import { gitShim } from './git-shim.ts'

/** How often each is done. */
const TIMES = 5
/** Nothing more is started once nothing was for so long. Milliseconds. */
const QUIET = 600

/**
 * How many git processes the daemon starts for a spawn, a filing, a stop check and a merge, all
 * that follows included.
 */
export async function measureGit(): Promise<Figure[]> {
  const shim = gitShim()
  const tree = await startExomonad({
    // What the radar starts comes at times of its own (bench/radar.ts).
    config: '[radar]\nenabled = false\n',
    env: { PATH: `${shim.folder}:${process.env['PATH'] ?? ''}` },
  })
  try {
    const quiet = async (): Promise<number> => {
      for (let before = -1; before !== shim.count(); await pause(QUIET)) before = shim.count()
      return shim.count()
    }
    const counted = async (what: string, work: () => Promise<unknown>): Promise<number> => {
      const before = await quiet()
      shim.note(what)
      await work()
      return (await quiet()) - before
    }
    const done: Record<'spawn' | 'file' | 'stop' | 'merge', number[]> = {
      spawn: [],
      file: [],
      stop: [],
      merge: [],
    }
    for (let index = 0; index <= TIMES; index += 1) {
      const name = `w${String(index)}`
      tree.script(name, {
        steps: [],
        on: [
          {
            match: 'file now',
            steps: [
              { do: 'write', path: `${name}.txt`, content: `${name}\n` },
              { do: 'commit', message: `Add ${name}` },
              { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
            ],
          },
          { match: 'stop now', steps: [] },
        ],
      })
      const spawn = await counted('spawn', () =>
        tree.call('spawn_workers', { specs: [{ name, prompt: 'Wait.' }] }),
      )
      const file = await counted('file', async () => {
        await tree.call('send', { to: name, message: 'file now' })
        await waitFor('the pull request', async () => (await tree.agent(name)).pr?.number)
      })
      const stop = await counted('stop', async () => {
        const stops = () => tree.log(name).filter((entry) => entry['kind'] === 'stop').length
        const before = stops()
        await tree.call('send', { to: name, message: 'stop now' })
        await waitFor('the stop', () => stops() > before)
      })
      const { number } = (await tree.agent(name)).pr
      const merge = await counted('merge', () => tree.call('merge_pr', { pr_number: number }))
      shim.note('kill, not counted')
      await tree.call('kill', { agent: name })
      // The first also settles what is asked once.
      if (index > 0)
        for (const [key, value] of Object.entries({ spawn, file, stop, merge }))
          done[key as keyof typeof done].push(value)
    }
    const figure = (
      name: string,
      values: readonly number[],
      floor: number,
      floorName: string,
      limit: number,
    ): Figure => ({
      name: `git processes of the daemon: ${name}`,
      unit: 'processes',
      value: median(values),
      floorName,
      floor,
      target: atMost(limit, 'processes', median(values)),
      samples: values.length,
    })
    return [
      figure('spawning a worker', done.spawn, 1, 'worktree add', LIMITS.spawn),
      figure('filing a pull request, and the stop after it', done.file, 1, 'push', LIMITS.file),
      figure('a stop check with nothing new', done.stop, 1, 'status', LIMITS.stop),
      figure('merging a pull request', done.merge, 3, 'merge, push, fast-forward', LIMITS.merge),
    ]
  } finally {
    await tree.stop()
    shim.remove()
  }
}

/** What was measured when they were last brought down. */
const LIMITS = { spawn: 3, file: 4, stop: 1, merge: 7 }
