import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { PullRequestSnapshot } from '../../../src/adapters/forge/forge.ts'
import type { Check } from '../../../src/adapters/forge/check.ts'
import type { Delivery, StoredEvent } from '../../../src/domain/records.ts'
import { settledNews } from '../../../src/delivery/withdrawal.ts'
import { asBranchName, type AgentId } from '../../../src/domain/ids.ts'
import { polledTree, ROOT, type PolledTree } from '../../helpers/polled-tree.ts'
import { at, OWNER, pull, review, sha } from '../../unit/pull-watch/pull.ts'

/**
 * Whatever becomes of a pull request while its news waits: what is handed over is so, nothing of it
 * is older than the rest, and nothing that is so is lost for having been withdrawn before.
 */

const LEAD = '00000000-0000-7000-8000-000000000003' as AgentId
const EVERYBODY = [ROOT, LEAD, OWNER]

const check = (status: Check['status']): Check => ({
  name: 'test',
  status,
  required: true,
  run: null,
  url: null,
  logTail: null,
})
const FACETS = {
  head: { a: {}, c: at('c') },
  base: { main: {}, lead: { base: { branch: asBranchName('main.lead'), sha: null } } },
  merging: {
    clean: { mergeable: 'mergeable' },
    conflicting: { mergeable: 'conflicting', conflictFiles: ['a.ts'] },
    unsure: { mergeable: 'unknown' },
  },
  checks: {
    none: {},
    running: { checksState: 'pending', checks: [check('running')] },
    green: { checksState: 'passed', checks: [check('passed')] },
    red: { checksState: 'failed', checks: [check('failed')] },
    unsure: { checksState: 'unknown' },
  },
  review: {
    none: {},
    approved: { reviewDecision: 'approved', reviews: [review({ id: 'r2', state: 'approved' })] },
    refused: { reviewDecision: 'changes_requested', reviews: [review({ id: 'r1' })] },
    'refused again': {
      reviewDecision: 'changes_requested',
      reviews: [review({ id: 'r2', state: 'approved' }), review({ id: 'r3' })],
    },
  },
  life: {
    open: {},
    draft: { draft: true },
    closed: { state: 'closed', mergeable: 'unknown' },
    merged: { state: 'merged', mergeable: 'unknown' },
  },
} satisfies Record<string, Record<string, Partial<PullRequestSnapshot>>>
type Condition = { readonly [Facet in keyof typeof FACETS]: keyof (typeof FACETS)[Facet] }

const facet = <Facet extends keyof typeof FACETS>(name: Facet) =>
  fc.constantFrom(...(Object.keys(FACETS[name]) as (keyof (typeof FACETS)[Facet])[]))
const condition: fc.Arbitrary<Condition> = fc.record({
  ...{
    head: facet('head'),
    base: facet('base'),
    merging: facet('merging'),
    checks: facet('checks'),
    review: facet('review'),
    life: facet('life'),
  },
})
/** Every so often somebody reads. */
const step = fc.oneof(
  { weight: 4, arbitrary: condition },
  { weight: 1, arbitrary: fc.constantFrom(...EVERYBODY) },
)

let tree: PolledTree
let count = 10
beforeEach(async () => {
  tree = await polledTree()
  await tree.addAgent('main.lead', { id: LEAD })
  await tree.store.agents.update(OWNER, { parentId: LEAD })
  tree.poller.start()
})
afterEach(() => tree.close())

interface News extends Delivery {
  readonly event: StoredEvent
}

async function play(steps: readonly (Condition | AgentId)[]): Promise<void> {
  const number = count++
  const url = `local://pull/${number}`
  let now = pull({ number, url, agentId: OWNER })
  let looks = 0
  const all = async (to: AgentId, states: readonly Delivery['state'][]): Promise<News[]> => {
    const rows = await tree.store.outbox.list({ recipient: to, subject: url, states })
    return Promise.all(
      rows.map(async (row) => ({
        ...row,
        event: (await tree.store.events.list({ after: (row.eventSeq ?? 0) - 1, limit: 1 }))[0]!,
      })),
    )
  }
  /** Nothing is said of what is merged or closed for good. */
  let isOver = false
  for (const next of steps) {
    if (typeof next === 'string') {
      const waiting = await settledNews(tree.store, await all(next, ['queued']))
      const ids = waiting.map(({ id }) => id)
      await tree.store.outbox.claim(ids, 'pane', randomUUID(), 1)
      await tree.store.outbox.handed(ids, 1)
    } else if (!isOver) {
      isOver = next.life === 'merged'
      const { head, base, merging, checks, review: reviewed, life } = next
      now = pull({
        ...{ number, url, agentId: OWNER, updatedAt: 1_000 + ++looks },
        ...FACETS.head[head],
        ...FACETS.base[base],
        ...FACETS.merging[merging],
        ...FACETS.checks[checks],
        ...FACETS.review[reviewed],
        ...FACETS.life[life],
      } as Partial<PullRequestSnapshot>)
      tree.forge.truth.set(number, now)
      await tree.poller.poll([number])
    }
    for (const to of EVERYBODY) {
      const queue = await all(to, ['queued'])
      for (const news of await settledNews(tree.store, queue))
        expect(isSo(news, to, now), `${news.kind} to ${to}: ${news.text}`).toBe(true)
      const types = queue.map(({ kind }) => kind).filter((kind) => kind !== 'pr.review')
      expect(types, 'the same twice').toEqual([...new Set(types)])
    }
    await expectNotified()
  }

  // The next case has nothing to do with it.
  await tree.reopen()
  await tree.store.snapshots.remove(`pull:${number}`)

  /** Of what is so, everybody whom it concerns has been notified, or will be. */
  async function expectNotified(): Promise<void> {
    const has = async (to: AgentId, type: string): Promise<boolean> =>
      (await all(to, ['queued', 'sent'])).some(
        ({ kind, event }) =>
          kind === type &&
          (type === 'ci.failed' || event.payload['base'] === now.base.branch) &&
          (type === 'pr.conflict' || event.payload['sha'] === now.head.sha),
      )
    if (looks === 0 || now.state !== 'open') return
    if (isReady(now))
      expect(await has(ownerOfBase(now), 'pr.ready'), 'that it can be merged').toBe(true)
    if (now.mergeable === 'conflicting')
      expect(await has(OWNER, 'pr.conflict'), 'that it conflicts').toBe(true)
    if (now.checksState === 'failed')
      expect(await has(OWNER, 'ci.failed'), 'that its checks failed').toBe(true)
  }
}

const ownerOfBase = ({ base }: PullRequestSnapshot): AgentId =>
  base.branch === 'main' ? ROOT : LEAD
const isReady = (now: PullRequestSnapshot): boolean =>
  now.state === 'open' &&
  !now.draft &&
  now.mergeable === 'mergeable' &&
  now.reviewDecision !== 'changes_requested' &&
  (now.checksState === 'passed' || now.checksState === 'none')

/** What the words say, held against the pull request as it is. */
function isSo({ kind, event: { payload } }: News, to: AgentId, now: PullRequestSnapshot): boolean {
  const isOpen = now.state === 'open'
  const isHead = payload['sha'] === now.head.sha
  const isBase = payload['base'] === now.base.branch
  const concerns = to === OWNER || (to === ownerOfBase(now) && isBase)
  switch (kind) {
    case 'pr.ready':
      return isReady(now) && isHead && isBase && concerns
    case 'pr.conflict':
      return isOpen && now.mergeable !== 'mergeable' && isBase && concerns
    case 'ci.failed':
      return (
        isOpen &&
        isHead &&
        now.checksState !== 'passed' &&
        now.checksState !== 'pending' &&
        concerns
      )
    case 'pr.opened':
    case 'pr.retargeted':
      return isOpen && isBase
    case 'pr.pushed':
    case 'pr.reopened':
    case 'pr.stalled':
      return isOpen && concerns
    case 'pr.closed':
    case 'pr.merged':
      return `pr.${now.state}` === kind
    case 'pr.review': {
      const decided = now.reviews.findLast(({ state }) => state !== 'commented')?.state
      if (payload['state'] === 'approved') return isOpen && decided !== 'changes_requested'
      return now.state !== 'merged'
    }
    default:
      return false
  }
}

/** One condition for every type of news there is of it. */
const open: Condition = {
  head: 'a',
  base: 'main',
  merging: 'clean',
  checks: 'running',
  review: 'none',
  life: 'open',
}
const KINDS: Record<string, Condition> = {
  open,
  ready: { ...open, checks: 'green' },
  red: { ...open, checks: 'red' },
  unsure: { ...open, checks: 'unsure', merging: 'unsure' },
  conflict: { ...open, merging: 'conflicting' },
  pushed: { ...open, head: 'c' },
  'pushed and ready': { ...open, head: 'c', checks: 'green' },
  'pushed and red': { ...open, head: 'c', checks: 'red' },
  retargeted: { ...open, base: 'lead' },
  'retargeted and ready': { ...open, base: 'lead', checks: 'green' },
  'retargeted, in conflict': { ...open, base: 'lead', merging: 'conflicting' },
  approved: { ...open, review: 'approved' },
  refused: { ...open, review: 'refused' },
  'refused again': { ...open, review: 'refused again' },
  draft: { ...open, life: 'draft' },
  closed: { ...open, life: 'closed' },
  merged: { ...open, life: 'merged' },
}

it.each(Object.keys(KINDS))(
  'of two pieces of news only what is still so is handed over: %s, then any other',
  async (first) => {
    for (const [second, after] of Object.entries(KINDS)) {
      const delivered = play([open, KINDS[first]!, after, KINDS[first]!, after])
      await delivered.catch((thrown: unknown) =>
        Promise.reject(new Error(`${first}, then ${second}`, { cause: thrown })),
      )
    }
  },
)

/** It conflicts with one base, and with the next, which is found out only later. */
const CONFLICT_ELSEWHERE: Condition[] = [
  { ...open, base: 'lead', merging: 'conflicting' },
  { ...open, merging: 'unsure' },
  { ...open, merging: 'conflicting' },
]
/** The last of so many rounds is seen together with its end. */
const STALLED_AND_CLOSED: Condition[] = [
  { ...open, head: 'c', checks: 'red' },
  { ...open, checks: 'red' },
  { ...open, head: 'c', checks: 'red', review: 'refused' },
  { ...open, checks: 'none', review: 'refused again', life: 'closed' },
]

it('nor is anything else, whatever comes in whichever order, and whoever reads in between', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), play), {
    numRuns: 60,
    examples: [[CONFLICT_ELSEWHERE], [STALLED_AND_CLOSED]],
  })
})

it.each<[string, Partial<PullRequestSnapshot>, string[]]>([
  ['still merges', { mergeable: 'mergeable' }, ['pr.ready']],
  ['conflicts now', { mergeable: 'conflicting' }, ['pr.conflict']],
])(
  'after a merge beside it that one can be merged is said once it was looked at: one that %s',
  async (_what, then, delivered) => {
    const [own, other] = [1, 2].map((number) =>
      pull({ number, url: `local://pull/${number}`, agentId: OWNER }),
    )
    const look = async (now: PullRequestSnapshot): Promise<void> => {
      tree.forge.truth.set(now.number, now)
      await tree.poller.poll([now.number])
    }
    const handedOver = async (): Promise<string[]> => {
      const queued = await tree.store.outbox.list({
        recipient: ROOT,
        states: ['queued'],
        subject: own!.url,
      })
      return (await settledNews(tree.store, queued)).map(({ kind }) => kind)
    }
    await look(own!)
    await look(other!)
    expect(await handedOver()).toEqual(['pr.ready'])
    const tip = sha('f')
    await look({
      ...other!,
      state: 'merged',
      mergeSha: tip,
      mergeable: 'unknown',
      base: { ...other!.base, sha: null },
    })
    expect(await handedOver()).toEqual([])
    await look({ ...own!, ...then, base: { ...own!.base, sha: tip } })
    expect(await handedOver()).toEqual(delivered)
  },
)
