/**
 * The poller and the GitHub forge over HTTP, for a simulated hour, as a process of its own:
 * `node poll.ts COUNT` prints `Measured` as JSON, `node poll.ts COUNT PENDING` what the daemon’s
 * default cadence costs while nothing changes (`Spent`). Time is virtual, the calls are real.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createTextGate } from '../../src/sanitize/text-gate.ts'
import { createGithubForge } from '../../src/adapters/forge/github/forge.ts'
import type { PullRequestSnapshot } from '../../src/adapters/forge/forge.ts'
import { openGit } from '../../src/adapters/git/open.ts'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import { configSchema } from '../../src/config/schema.ts'
import { createPoller } from '../../src/pull-watch/poller.ts'
import { isActive } from '../../src/pull-watch/tracking.ts'
import { createPublisher } from '../../src/delivery/publisher.ts'
import { asBranchName, newDeliveryId } from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { tempRepository } from '../../test/helpers/temp-repository.ts'
import { virtualTime } from '../../test/helpers/virtual-time.ts'
import { agentRow } from '../rows.ts'
import type { Counted, Order, Place } from './github.ts'

/**
 * Of an hour of looks, 60 s apart; and of one round of a REST call per pull request and kind, for
 * the same.
 */
export interface Measured {
  readonly points: number
  readonly calls: number
  /** Milliseconds of CPU for a look at all. */
  readonly cpu: number
  /** Resident set at the end, MB. */
  readonly memory: number
  readonly events: number
  readonly restCalls: number
  readonly restCpu: number
}

/** Of an hour at the default cadence, some time after the start. */
export type Spent = Pick<Measured, 'points' | 'calls'>

const HOUR = 3_600_000
const CYCLE = 60_000
const CYCLES = 60
/** Pull requests of which the floor is measured; of more it is so many times as much. */
const SAMPLE = 100
/** What a poller reads over REST of each pull request. */
const KINDS = [
  'pulls/N',
  'pulls/N/reviews',
  'pulls/N/comments',
  'issues/N/comments',
  'commits/SHA/status',
  'commits/SHA/check-runs',
] as const

const count = Number(process.argv[2])
/** Null: looked at every minute while they change. */
const pending = process.argv[3] === undefined ? null : Number(process.argv[3])
const time = virtualTime(Date.now())
const server = fork(join(import.meta.dirname, 'github.ts'), process.argv.slice(2), {
  stdio: 'inherit',
})
const next = async <Answer>(): Promise<Answer> => ((await once(server, 'message')) as [Answer])[0]
const order = async (kind: Order['kind']): Promise<Counted> => {
  const answer = next<Counted>()
  server.send({ kind, at: time.clock() } satisfies Order)
  return answer
}
const place = await next<Place>()
const folder = mkdtempSync(join(tmpdir(), 'bench-poll-'))
const repository = await tempRepository()
const log = silentLog()
const store = await openSqliteStore({ file: join(folder, 'store.db'), log })
try {
  process.stdout.write(`${JSON.stringify(await measure())}\n`)
} finally {
  await store.close()
  server.disconnect()
  await once(server, 'exit')
  repository.remove()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<Measured | Spent> {
  await store.transaction(async (tx) => {
    for (let index = 0; index < count; index++) {
      const branch = asBranchName(`main.p${index}`)
      await tx.agents.insert(
        agentRow({
          name: `p${index}`,
          branch,
          kind: 'worker',
          parentId: null,
          depth: 1,
          state: 'idle',
          endedAt: null,
        }),
      )
    }
  })
  const { owner, name, apiUrl, graphqlUrl, token } = place
  const forge = createGithubForge({
    gate: createTextGate(),
    repository: { host: new URL(apiUrl).host, owner, name, apiUrl, graphqlUrl },
    remote: 'origin',
    git: openGit({ commonDir: join(repository.path, '.git'), environment: repository.env }),
    store,
    token: async () => token,
    settings: () => ({
      trustedBots: [],
      copilotReview: false,
      checksExpectedWithin: 180,
      reserve: 0,
    }),
    clock: time.clock,
    log,
    userAgent: 'exomonad-bench',
  })
  // Words for agents are made elsewhere: here nothing is routed.
  const publisher = createPublisher({
    store,
    renderer: { render: async () => '', renderPrompt: async () => '' },
    clock: time.clock,
    log,
    newDeliveryId,
  })
  const config = configSchema.parse(
    pending === null ? { forge: { poll_active: CYCLE / 1000, poll_idle: CYCLE / 1000 } } : {},
  )
  const poller = createPoller({
    forge,
    store,
    publisher,
    config: () => config,
    clock: time.clock,
    log,
    timers: time.timers,
  })
  const settled = (): Promise<void> => poller.poll([])
  poller.start()
  // The first looks, with mergeability not worked out yet, are not what an hour costs.
  await time.pass(5 * CYCLE, settled)
  if (pending !== null) {
    // What is reported of those that make no progress for half an hour is over by then.
    await time.pass(HOUR, settled)
    // As if filed at another moment than the others, and so looked at at others.
    await time.pass(17_000, settled)
    if (pending > 0) await poller.poll(Array.from({ length: pending }, (_, index) => index + 1))
  }
  const pulls = [...(await store.snapshots.list('pull:')).values()].map(
    ({ snapshot }) => snapshot as PullRequestSnapshot,
  )
  if (pulls.length !== count)
    throw new Error(`${pulls.length} of ${count} pull requests are followed`)

  await order('count')
  if (pending !== null) {
    const active = pulls.filter(isActive).length
    if (active !== pending) throw new Error(`${active} pull requests are pending, not ${pending}`)
    await time.pass(HOUR, settled)
    await poller.stop()
    await forge.dispose()
    return order('count')
  }
  const before = await lastEvent()
  const started = process.cpuUsage()
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    await order('change')
    await time.pass(CYCLE, settled)
  }
  const { user, system } = process.cpuUsage(started)
  const { points, calls } = await order('count')
  const memory = process.memoryUsage().rss / 2 ** 20
  const events = (await lastEvent()) - before
  await poller.stop()
  await forge.dispose()
  const rest = await overRest()
  return {
    points,
    calls,
    cpu: (user + system) / 1000 / CYCLES,
    memory,
    events,
    restCalls: rest.calls * CYCLES,
    restCpu: rest.cpu,
  }
}

async function lastEvent(): Promise<number> {
  return (await store.events.list({ last: 1 }))[0]?.seq ?? 0
}

async function overRest(): Promise<{ calls: number; cpu: number }> {
  const all = [...(await store.snapshots.list('pull:')).values()].map(
    ({ snapshot }) => snapshot as { number: number; head: { sha: string } },
  )
  const pulls = all.slice(0, SAMPLE)
  const paths = pulls.flatMap(({ number, head }) =>
    KINDS.map((kind) => kind.replace('N', String(number)).replace('SHA', head.sha)),
  )
  const headers = { authorization: `bearer ${place.token}`, 'user-agent': 'exomonad-bench' }
  await order('count')
  const started = process.cpuUsage()
  const next = paths.values()
  const worker = async (): Promise<void> => {
    for (const path of next) {
      const response = await fetch(`${place.apiUrl}/repos/${place.owner}/${place.name}/${path}`, {
        headers,
      })
      if (response.status !== 200)
        throw new Error(`GET ${path}: ${response.status} ${await response.text()}`)
      await response.json()
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  const { user, system } = process.cpuUsage(started)
  const share = pulls.length / all.length
  return { calls: (await order('count')).calls / share, cpu: (user + system) / 1000 / share }
}
