import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import type { PullSummary } from '../../src/core/pulls/pull-documents.ts'
import { startExomonad, type Exomonad } from '../../test/helpers/daemon.ts'
import { gitShim, type GitShim } from '../git-shim.ts'

/** What a worker does: its files at first, and what it does about what is found. */
export interface WorkerPlan {
  readonly files: Readonly<Record<string, string>>
  /** Taken away when a check is red. */
  readonly remove?: string
  /** Written when changes are requested. */
  readonly improve?: Readonly<Record<string, string>>
}

export interface Scenario {
  readonly workers: Readonly<Record<string, WorkerPlan>>
  /** Titles (names of workers) of which the lead requests changes first. */
  readonly review?: readonly string[]
  /** How many can land. */
  readonly landable: number
  /** Two that are red together: the lead has to be notified of them. */
  readonly pair?: readonly [string, string]
  /** The lead wants to know of all together. */
  readonly together?: true
  /** What is open is checked together, ahead. */
  readonly fold?: true
}

export interface Measured {
  readonly landed: number
  /** Until the last landed, and the pair was reported. */
  readonly seconds: number
  /** It was ended at the limit. */
  readonly cut: boolean
  readonly checkRuns: number
  readonly refused: number
  readonly rebases: number
  readonly leadTurns: number
  readonly leadIdleTurns: number
  readonly workerTurns: number
  readonly notices: { readonly lead: Notices; readonly workers: Notices }
  readonly gitProcesses: number
  /** Tips of the base that are red by the rule of the check. */
  readonly redTips: number
  readonly pairReported: boolean
}

/** What reached agents in those turns: messages, and bytes of their text. */
export interface Notices {
  readonly messages: number
  readonly bytes: number
}

const LIMIT = 300_000
/** What a lead can do something about. */
const TO_ACT_ON = [
  'PR READY',
  'CI FAILED',
  'QUESTION',
  'LANDED',
  'LANDING RED',
  'RED TOGETHER',
  'BASE RED',
  'FIXES PUSHED',
  'CONFLICT',
]

interface Entry {
  readonly at: number
  readonly kind: string
  readonly tags?: readonly string[]
  readonly text?: string
  readonly refused?: string
}

/**
 * Runs one scenario from “go” until all that can has landed. The check takes so many seconds, two
 * run at a time.
 */
export async function runScenario(scenario: Scenario, checkSeconds: number): Promise<Measured> {
  let tree: Exomonad | undefined
  // The folder is known once the tree is there; what the daemon starts finds it by these.
  const shim = gitShim()
  try {
    tree = await startExomonad({
      files: { 'shared.txt': 'base\n' },
      env: { PATH: `${shim.folder}:${process.env['PATH'] ?? ''}` },
      config: '',
      init: false,
    })
    return await run(tree, scenario, checkSeconds, shim)
  } finally {
    await tree?.stop()
    shim.remove()
  }
}

async function run(
  tree: Exomonad,
  scenario: Scenario,
  checkSeconds: number,
  shim: GitShim,
): Promise<Measured> {
  const { repository } = tree
  const landing = join(repository.folder, 'landing')
  mkdirSync(landing)
  const go = join(landing, 'go')
  const runs = join(landing, 'runs')
  writeFileSync(runs, '')
  const rule = join(landing, 'rule.sh')
  writeFileSync(rule, '! test -e bad.txt && ! { test -e pair-a.txt && test -e pair-b.txt; }\n')
  const check = `echo run >> '${runs}'; sleep ${checkSeconds}; sh '${rule}'`
  const agent = (program: string): string => `adapter = "command"
command = ["{{node}}", ${JSON.stringify(join(import.meta.dirname, program))}]
env = { LANDING = ${JSON.stringify(landing)} }
acks = true
reports_state = true
enter_delay_ms = 20
`
  writeFileSync(
    join(repository.path, '.exomonad', 'config.toml'),
    `[roles.tl]\nagent = "lead"\n[roles.dev]\nagent = "worker"\n[agents.lead]\n${agent('lead.js')}[agents.worker]\n${agent('worker.js')}
[multiplexer]\nkind = "headless"\n[limits]\nmax_live_agents = 100\n[forge.local]\nci = ["sh", "-c", ${JSON.stringify(check)}]\nci_parallel = 2\n[fold]\nenabled = ${scenario.fold === true}\n`,
  )
  writeFileSync(join(landing, 'lead.json'), JSON.stringify({ review: scenario.review ?? [] }))
  for (const [name, plan] of Object.entries(scenario.workers))
    writeFileSync(join(landing, `${name}.json`), JSON.stringify({ ...plan, go }))
  const made = await tree.run(['init'])
  if (made.code !== 0) throw new Error(`exomonad init: ${made.stderr}`)
  const origin = join(tree.state, 'origin.git')
  await repository.gitIn(origin, 'config', 'core.logAllRefUpdates', 'always')
  const client = tree.client()
  await client.callTool('spawn_subtree', { task: 'Merge.', branch_name: 'lead' })
  const specs = Object.keys(scenario.workers).map((name) => ({ name, prompt: 'Work.' }))
  const spawned = await tree.client('lead').call('spawn_workers', {
    specs,
    ...(scenario.together === true ? { wake: 'all_settled' as const } : {}),
  })
  if (spawned.errors.length > 0) throw new Error(JSON.stringify(spawned.errors))
  // All are there and wait.
  await pause(3_000)

  const log = (name: string): Entry[] => {
    const path = join(landing, `${name}.log`)
    if (!existsSync(path)) return []
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as Entry)
  }
  const pulls = async (): Promise<PullSummary[]> =>
    (await client.call('pr_list', { state: 'all' })).pull_requests
  const reportedPair = async (): Promise<boolean> => {
    if (scenario.pair === undefined) return true
    const numbers = (await pulls()).flatMap(({ number, title }) =>
      scenario.pair?.includes(title) === true ? [`#${number} `] : [],
    )
    return (
      numbers.length === 2 &&
      log('lead').some(
        ({ kind, text = '' }) =>
          kind === 'turn' &&
          /red together/i.test(text) &&
          numbers.every((number) => text.includes(number)),
      )
    )
  }

  const before = shim.count()
  const begun = Date.now()
  writeFileSync(go, '')
  let landed = 0
  let pairReported = false
  while (Date.now() - begun < LIMIT) {
    landed = (await pulls()).filter(({ state }) => state === 'merged').length
    pairReported = await reportedPair()
    if (landed >= scenario.landable && pairReported) break
    await pause(100)
  }
  const seconds = (Date.now() - begun) / 1000
  const gitProcesses = shim.count() - before
  // What is on its way to them belongs to it.
  await pause(3_000)
  const lead = log('lead').filter(({ at }) => at >= begun)
  const leadTurns = lead.filter(({ kind }) => kind === 'turn')
  const workerTurns = Object.keys(scenario.workers).flatMap((name) => {
    const entries = log(name)
    const filed = entries.findIndex(({ kind }) => kind === 'filed')
    return filed < 0 ? [] : entries.slice(filed).filter(({ kind }) => kind === 'turn')
  })
  const events = await tree.events()
  return {
    landed,
    seconds,
    cut: seconds * 1000 >= LIMIT,
    checkRuns: readFileSync(runs, 'utf8').split('\n').length - 1,
    refused: lead.filter(({ kind, refused }) => kind === 'merge' && refused !== undefined).length,
    rebases: events.filter(({ type, actor }) => type === 'rebase.done' && actor === 'daemon')
      .length,
    leadTurns: leadTurns.length,
    leadIdleTurns: leadTurns.filter(({ tags = [] }) => !tags.some((tag) => TO_ACT_ON.includes(tag)))
      .length,
    workerTurns: workerTurns.length,
    notices: { lead: noticesIn(leadTurns), workers: noticesIn(workerTurns) },
    gitProcesses,
    redTips: await redTips(tree, origin),
    pairReported,
  }
}

const noticesIn = (turns: readonly Entry[]): Notices => ({
  messages: turns.reduce((sum, { tags = [] }) => sum + tags.length, 0),
  bytes: turns.reduce((sum, { text = '' }) => sum + Buffer.byteLength(text), 0),
})

async function redTips(tree: Exomonad, origin: string): Promise<number> {
  const reflog = await tree.repository.gitIn(
    origin,
    'reflog',
    'show',
    '--format=%H',
    'refs/heads/main.lead',
  )
  let red = 0
  for (const tip of reflog.split('\n').filter((line) => line !== '')) {
    const files = (await tree.repository.gitIn(origin, 'ls-tree', '--name-only', tip)).split('\n')
    if (files.includes('bad.txt') || (files.includes('pair-a.txt') && files.includes('pair-b.txt')))
      red += 1
  }
  return red
}
