import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { runProgram } from '../test/helpers/daemon.ts'
import { waitFor } from '../test/helpers/wait-for.ts'
import { atLeast, atMost, median, percentile, timed, type Figure } from './figures.ts'
import { startTask } from './headless/task.ts'
import { benchTree, rssOf, type BenchTree } from './tree.ts'

/** Fewer, to see whether it runs at all. */
const IS_SHORT = process.env['EXOMONAD_BENCH_SHORT'] !== undefined
const TASKS = IS_SHORT ? 5 : 100
/** Of a process’s memory: readings, and milliseconds between them. */
const READINGS = IS_SHORT ? 3 : 15
const BETWEEN = 500
/** Of output: megabytes, and rounds. */
const SIZE = IS_SHORT ? 20 : 500
const FLOODS = 3
const LIMIT = { limit: 120_000 }
const IDLE = 'sleep 100000'

interface Task {
  readonly id: string
  readonly pid: number
}

/**
 * Background tasks through the real daemon: what each costs it and the detached host, how fast
 * output gets to its file, and how long a kill takes.
 */
export async function measureHeadless(): Promise<Figure[]> {
  const tree = await benchTree({
    // Nothing of the output is to be left out.
    config:
      '[limits]\nmax_live_agents = 1000\nmax_live_headless = 1000\n[retention]\noutputs_mb = 4000\n',
  })
  try {
    // The first of them loads what all need.
    await spawn(tree, 1)
    const daemon = await tree.exomonad.daemonPid()
    const { pid: host } = JSON.parse(
      readFileSync(join(tree.exomonad.state, 'detached-host.json'), 'utf8'),
    ) as { pid: number }
    const before = await memoryOf(daemon, host)
    const tasks = await spawn(tree, TASKS)
    const after = await memoryOf(daemon, host)
    return [
      ...memoryFigures(before, after, tasks),
      ...(await measureKills(tree, tasks)),
      await measureOutput(tree),
    ]
  } finally {
    await tree.exomonad.stop()
  }
}

/** So many tasks that idle, started all at once. */
async function spawn(tree: BenchTree, count: number): Promise<Task[]> {
  const started = await Promise.all(
    Array.from({ length: count }, () =>
      tree.client.call('spawn_background_task', { command: IDLE }),
    ),
  )
  const ids = started.map(({ agent_id }) => agent_id)
  return waitFor(
    'running tasks',
    async () => {
      const { root } = await tree.client.call('tree', {})
      const nodes: any[] = root.children.filter(
        ({ id, pid }: any) => ids.includes(id) && pid !== null,
      )
      return nodes.length === count && nodes.map(({ id, pid }): Task => ({ id, pid }))
    },
    LIMIT,
  )
}

interface Memory {
  readonly daemon: number
  readonly host: number
}

async function memoryOf(daemon: number, host: number): Promise<Memory> {
  const readings: Memory[] = []
  for (let reading = 0; reading < READINGS; reading += 1) {
    await delay(BETWEEN)
    readings.push({ daemon: rssOf(daemon), host: rssOf(host) })
  }
  return {
    daemon: median(readings.map((one) => one.daemon)),
    host: median(readings.map((one) => one.host)),
  }
}

function memoryFigures(before: Memory, after: Memory, tasks: readonly Task[]): Figure[] {
  const own = median(tasks.map(({ pid }) => rssOf(pid))) * 1024
  const row = (whose: keyof Memory, limited: boolean): Figure => {
    const value = ((after[whose] - before[whose]) * 1024) / tasks.length
    return {
      name: `memory of the ${whose === 'host' ? 'detached host' : whose} for an idle background task, ${tasks.length} of them`,
      unit: 'kB',
      value,
      floorName: 'the task’s own shell',
      floor: own,
      target: limited ? atMost(1024, 'kB', value) : null,
      samples: READINGS,
    }
  }
  return [row('daemon', true), row('host', false)]
}

/** From the call until nothing of the task is there any more. */
async function measureKills(tree: BenchTree, tasks: readonly Task[]): Promise<Figure[]> {
  const killed: number[] = []
  const floors: number[] = []
  for (const { id, pid } of tasks) {
    let call: Promise<unknown> | undefined
    const through = await timed(() => {
      call = tree.client.callTool('kill_agent', { agent_id: id })
      return waitFor('its end', () => !isThere(pid), { every: 1, ...LIMIT })
    })
    killed.push(through.ms)
    await call
    const direct = await startTask(IDLE)
    floors.push((await timed(direct.end)).ms)
  }
  return ([0.5, 0.99] as const).map((share) => ({
    name: `kill → a willing background task is gone, p${share * 100}`,
    unit: 'ms',
    value: percentile(killed, share),
    floorName: 'SIGTERM to the same group',
    floor: percentile(floors, share),
    target: share === 0.99 ? atMost(100, 'ms', percentile(killed, share)) : null,
    samples: tasks.length,
  }))
}

/**
 * Lines as fast as `cat` gives them: from the call until the task has completed, with every byte in
 * its file.
 */
async function measureOutput(tree: BenchTree): Promise<Figure> {
  const folder = tree.exomonad.scripts
  const source = join(folder, 'lines')
  const line = `${'a line of what a build says while it runs, as long as such lines are, more or less'.padEnd(99)}\n`
  const block = line.repeat(10_000)
  writeFileSync(source, '')
  for (let megabytes = 0; megabytes < SIZE; megabytes += 1)
    writeFileSync(source, block, { flag: 'a' })
  const wanted = await hashOf(source)
  const through: number[] = []
  const floors: number[] = []
  for (let round = 0; round < FLOODS; round += 1) {
    let id = ''
    const ran = await timed(async () => {
      id = (
        await tree.client.call('spawn_background_task', {
          command: `cat '${source}'`,
        })
      ).agent_id
      await waitFor(
        'its end',
        async () =>
          ((await tree.client.callTool('agent_status', { agent_id: id })) as any).status !==
          'running',
        { every: 5, ...LIMIT },
      )
    })
    through.push(SIZE / (ran.ms / 1000))
    if ((await hashOf(join(tree.exomonad.state, 'outputs', `${id}.log`))) !== wanted)
      throw new Error('output was lost')
    const copied = await timed(() =>
      runProgram('/bin/sh', ['-c', `cat '${source}' > '${join(folder, 'copy')}'`], {
        env: { PATH: process.env['PATH'] ?? '' },
      }),
    )
    floors.push(SIZE / (copied.ms / 1000))
  }
  const value = median(through)
  return {
    name: `output of a background task into its file, ${SIZE} MB`,
    unit: 'MB/s',
    value,
    floorName: 'the same command with > file',
    floor: median(floors),
    target: atLeast(30, 'MB/s', value),
    samples: FLOODS,
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
