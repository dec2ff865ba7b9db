import { join } from 'node:path'
import process from 'node:process'
import { runProgram } from '../test/helpers/daemon.ts'
import { tempHome } from '../test/helpers/temp-repository.ts'
import { atMost, type Figure } from './figures.ts'
import type { Measured, Spent } from './forge/poll.ts'

/** Pull requests that are followed, and the most points that an hour of it should cost. */
const SIZES: readonly (readonly [count: number, points: number | null])[] = [
  [10, null],
  [100, 450],
  [1000, 5000],
]

/**
 * Pull requests that are followed at the daemon’s default cadence, how many of them have checks
 * under way, and the most points that should cost.
 */
const CADENCES: readonly (readonly [count: number, pending: number, points: number | null])[] = [
  [10, 0, null],
  [10, 3, 120],
  [10, 1, null],
  [100, 0, null],
  [100, 3, 129],
  [100, 10, null],
  [1000, 0, null],
  [1000, 3, null],
  [1000, 100, null],
]
/** Looks an hour at the default cadence: each is a request at least, and a request a point. */
const LOOKS = { pending: 120, none: 12 } as const

/**
 * What following pull requests on GitHub costs: at the default cadence, and with a look at all
 * every 60 s, a tenth of them changing in between.
 */
export async function measureForge(): Promise<Figure[]> {
  const { env, remove } = tempHome()
  try {
    const node = await runProgram(
      process.execPath,
      [
        '-e',
        'setTimeout(() => process.stdout.write(String(process.memoryUsage.rss() / 1048576)), 500)',
      ],
      { env },
    )
    const figures: Figure[] = []
    for (const cadence of CADENCES) figures.push(await measureCadence(cadence, env))
    for (const [count, points] of SIZES)
      figures.push(...(await measureSize(count, points, Number(node.stdout), env)))
    return figures
  } finally {
    remove()
  }
}

async function measureCadence(
  [count, pending, most]: (typeof CADENCES)[number],
  env: Readonly<Record<string, string>>,
): Promise<Figure> {
  const args = [join(import.meta.dirname, 'forge', 'poll.ts'), String(count), String(pending)]
  const run = await runProgram(process.execPath, args, { env, timeout: 30 * 60_000 })
  if (run.code !== 0) throw new Error(`following ${count} pull requests failed: ${run.stderr}`)
  const { points } = run.json as Spent
  const looks = pending === 0 ? LOOKS.none : LOOKS.pending
  return {
    name: `GitHub, ${count} pull requests, ${pending === 0 ? 'none' : pending} pending: points an hour at the default cadence`,
    unit: 'points',
    value: points,
    floorName: `a look each ${3600 / looks} s`,
    floor: looks,
    target: most === null ? null : atMost(most, 'points', points),
    samples: 1,
  }
}

async function measureSize(
  count: number,
  points: number | null,
  bare: number,
  env: Readonly<Record<string, string>>,
): Promise<Figure[]> {
  const run = await runProgram(
    process.execPath,
    [join(import.meta.dirname, 'forge', 'poll.ts'), String(count)],
    { env, timeout: 30 * 60_000 },
  )
  if (run.code !== 0) throw new Error(`following ${count} pull requests failed: ${run.stderr}`)
  const measured = run.json as Measured
  const asRest = 'a REST call per pull request and kind'
  const row = (
    what: string,
    rest: Omit<Figure, 'name' | 'target' | 'samples'>,
    target: Figure['target'] = null,
  ): Figure => ({
    name: `GitHub, ${count} pull requests: ${what}`,
    target,
    samples: 60,
    ...rest,
  })
  return [
    row(
      'points an hour',
      { unit: 'points', value: measured.points, floorName: asRest, floor: measured.restCalls },
      points === null ? null : atMost(points, 'points', measured.points),
    ),
    row('calls an hour', {
      unit: 'calls',
      value: measured.calls,
      floorName: asRest,
      floor: measured.restCalls,
    }),
    row('CPU for a look', {
      unit: 'ms',
      value: measured.cpu,
      floorName: asRest,
      floor: measured.restCpu,
    }),
    row('memory after that hour', {
      unit: 'MB',
      value: measured.memory,
      floorName: 'a bare node',
      floor: bare,
    }),
  ]
}
