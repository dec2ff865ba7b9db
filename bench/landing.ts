import process from 'node:process'
import { atMost, type Figure } from './figures.ts'
import { measureFloors } from './landing/floor.ts'
import { runScenario, type Measured, type Scenario, type WorkerPlan } from './landing/scenario.ts'

const COUNT = Number(process.env['EXOMONAD_BENCH_WORKERS'] ?? 20)
const SECONDS = Number(process.env['EXOMONAD_BENCH_CHECK_SECONDS'] ?? 5)

const plain = (count: number): Record<string, WorkerPlan> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `w${index}`,
      { files: { [`w${index}.txt`]: `${index}\n` } },
    ]),
  )

/** What a landing costs agents that had nothing to do but merge. */
const attention = (measured: Measured, leadTurns: number, workerTurns: number): Figure[] => {
  const { notices, landed } = measured
  const each = (bytes: number): number => bytes / Math.max(landed, 1)
  return [
    figure('turns of the lead', 'turns', measured.leadTurns, 5, 'one for each', leadTurns),
    figure(
      ...(['turns of workers after filing', 'turns', measured.workerTurns, 0] as const),
      ...(['none', workerTurns] as const),
    ),
    ...(['lead', 'workers'] as const).map((who) =>
      figure(
        ...([`bytes of notices to the ${who} for each that landed`, 'bytes'] as const),
        ...([each(notices[who].bytes), 0, 'none', Number.POSITIVE_INFINITY] as const),
      ),
    ),
  ]
}

/** The two are neither first nor neighbours. */
const [LEFT, RIGHT] = [`w${Math.floor(COUNT / 4)}`, `w${Math.floor((COUNT * 3) / 4)}`]

const SCENARIOS: Readonly<
  Record<
    string,
    {
      readonly name: string
      readonly scenario: Scenario
      readonly figures: (measured: Measured, floor: number) => Figure[]
    }
  >
> = {
  A: {
    name: `${COUNT} good`,
    scenario: { workers: plain(COUNT), landable: COUNT },
    figures: (measured, floor) => [
      figure(
        'seconds until all landed',
        's',
        measured.seconds,
        floor,
        'merge, check, next in a shell',
        60,
      ),
      figure('check runs', 'runs', measured.checkRuns, COUNT, 'one for each', 24),
      figure('turns of the lead', 'turns', measured.leadTurns, COUNT, 'one for each', 25),
      figure(
        'turns of workers after filing',
        'turns',
        measured.workerTurns,
        COUNT,
        'one for each',
        20,
      ),
      figure(
        'git processes of the daemon for each that landed',
        'processes',
        measured.gitProcesses / Math.max(measured.landed, 1),
        3,
        'fetch, merge, push',
        40,
      ),
    ],
  },
  B: {
    name: `2 of ${COUNT} red together`,
    scenario: {
      workers: {
        ...plain(COUNT),
        [LEFT]: { files: { 'pair-a.txt': '' } },
        [RIGHT]: { files: { 'pair-b.txt': '' } },
      },
      landable: COUNT - 1,
      pair: [LEFT, RIGHT],
    },
    figures: (measured, floor) => [
      figure(
        'seconds until all but one landed and the pair reported',
        's',
        measured.seconds,
        floor,
        'merge, check, next in a shell',
        90,
      ),
      figure('red tips of the base', 'runs', measured.redTips, 1, 'merged unchecked', 0),
    ],
  },
  F: {
    name: `${COUNT} good, folded`,
    scenario: { workers: plain(COUNT), landable: COUNT, fold: true },
    figures: (measured, floor) => [
      figure(
        ...(['seconds until all landed', 's', measured.seconds, floor] as const),
        ...(['merge, check, next in a shell', 30] as const),
      ),
      figure('check runs', 'runs', measured.checkRuns, COUNT, 'one for each', 5),
    ],
  },
  G: {
    name: `2 of ${COUNT} red together, folded`,
    scenario: {
      workers: {
        ...plain(COUNT),
        [LEFT]: { files: { 'pair-a.txt': '' } },
        [RIGHT]: { files: { 'pair-b.txt': '' } },
      },
      landable: COUNT - 1,
      pair: [LEFT, RIGHT],
      fold: true,
    },
    figures: (measured, floor) => [
      figure(
        ...(['seconds until all but one landed', 's', measured.seconds, floor] as const),
        ...(['merge, check, next in a shell', 60] as const),
      ),
      figure('check runs', 'runs', measured.checkRuns, COUNT, 'one for each', 12),
      figure('red tips of the base', 'runs', measured.redTips, 1, 'merged unchecked', 0),
    ],
  },
  D: {
    name: '5 good',
    scenario: { workers: plain(5), landable: 5 },
    figures: (measured) => attention(measured, 5, 0),
  },
  E: {
    name: '5 good, the lead told of all together',
    scenario: { workers: plain(5), landable: 5, together: true },
    figures: (measured) => attention(measured, 5, 0),
  },
  C: {
    name: '5: a red check, a change request, a conflict',
    scenario: {
      workers: {
        w0: { files: { 'shared.txt': 'first\n' } },
        w1: { files: { 'w1.txt': '1\n' } },
        w2: { files: { 'w2.txt': '2\n', 'bad.txt': '' }, remove: 'bad.txt' },
        w3: { files: { 'w3.txt': '3\n' }, improve: { 'w3.txt': 'better\n' } },
        w4: { files: { 'shared.txt': 'second\n' } },
      },
      review: ['w3'],
      landable: 5,
    },
    figures: (measured, floor) => [
      ...attention(measured, 10, Number.POSITIVE_INFINITY),
      figure('check runs', 'runs', measured.checkRuns, 8, 'one for each head', 9),
      figure(
        'seconds until all landed',
        's',
        measured.seconds,
        floor / 4,
        'merge, check, next in a shell, of 5',
        Number.POSITIVE_INFINITY,
      ),
    ],
  },
}

/**
 * How fast the work of many lands, and what it costs: `npm run bench -- landing`.
 * EXOMONAD_BENCH_LANDING names the scenarios (`A,B`), EXOMONAD_BENCH_WORKERS and
 * EXOMONAD_BENCH_CHECK_SECONDS make it shorter. Prints a table of its own first.
 */
export async function measureLanding(): Promise<Figure[]> {
  const wanted = process.env['EXOMONAD_BENCH_LANDING']?.split(',') ?? Object.keys(SCENARIOS)
  const floors = await measureFloors(COUNT, SECONDS)
  const rows: string[][] = []
  const figures: Figure[] = []
  for (const [key, { name, scenario, figures: of }] of Object.entries(SCENARIOS)) {
    if (!wanted.includes(key)) continue
    process.stderr.write(`  ${name} …\n`)
    try {
      const measured = await runScenario(scenario, SECONDS)
      rows.push(row(name, measured, Object.keys(scenario.workers).length))
      figures.push(
        ...of(measured, floors.loop).map((one) => ({ ...one, name: `${name}: ${one.name}` })),
      )
    } catch (error) {
      process.exitCode = 1
      process.stderr.write(
        `  ${name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      )
    }
  }
  const dashes = ['–', '–', '–', '–', '–', '–', '–']
  rows.push([
    'a shell loop: merge, check, next',
    String(COUNT),
    `${floors.loop.toFixed(1)} s`,
    String(COUNT),
    ...dashes,
  ])
  rows.push([
    'one check of all together',
    String(COUNT),
    `${floors.once.toFixed(1)} s`,
    '1',
    ...dashes,
  ])
  const head = [
    '',
    'landed',
    'time',
    'check runs',
    'refused merges',
    'automatic rebases',
    'turns of the lead (with nothing to act on)',
    'turns of workers after filing',
    'messages in them: to the lead, to workers',
    'bytes of these for each that landed',
    'git processes of the daemon',
  ]
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  process.stdout.write(`${table.join('\n')}\n\n`)
  return figures
}

function row(name: string, measured: Measured, count: number): string[] {
  const {
    landed,
    seconds,
    cut,
    checkRuns,
    refused,
    rebases,
    leadTurns,
    leadIdleTurns,
    workerTurns,
    notices,
    gitProcesses,
    redTips,
    pairReported,
  } = measured
  const base = redTips === 0 ? '' : `, **${redTips} red tips**`
  return [
    `${name}${base}${pairReported ? '' : ', **the pair was not reported**'}`,
    `${landed} of ${count}${cut ? ', cut' : ''}`,
    `${seconds.toFixed(1)} s`,
    String(checkRuns),
    String(refused),
    String(rebases),
    `${leadTurns} (${leadIdleTurns})`,
    String(workerTurns),
    `${notices.lead.messages}, ${notices.workers.messages}`,
    String(Math.round((notices.lead.bytes + notices.workers.bytes) / Math.max(landed, 1))),
    String(gitProcesses),
  ]
}

const figure = (
  name: string,
  unit: Figure['unit'],
  value: number,
  floor: number,
  floorName: string,
  limit: number,
): Figure => ({
  ...{ name, unit, value, floor, floorName, samples: 1 },
  target: Number.isFinite(limit) ? atMost(limit, unit, value) : null,
})
