import { conflictsTold, TOLD_PREFIX } from '../radar/told.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { Agent, Outcome } from '../../domain/records.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { costOf } from '../usage/budgets.ts'
import { selectTree } from '../tree/select-tree.ts'
import { itemsByAgent } from '../inbox/items-by-agent.ts'
import { waitsIn } from '../tree/waits.ts'
import { allOwnWaits } from '../turns/own-waits.ts'
import { whoseTurn } from '../tree/whose-turn.ts'
import { shortAddresses } from '../../domain/addresses.ts'
import type { TreeNode, TreeQuery, View } from './tree-document.ts'
import type { Deps } from '../deps.ts'
import { forgeView } from '../pulls/forge-view.ts'
import { readInboxFacts } from '../inbox/inbox-facts.ts'
import { itemsOf } from '../inbox/items.ts'
import { ANNOUNCEMENTS } from '../inbox/news.ts'
import { landingsIn } from '../fold/view.ts'
import { scheduledView } from '../pulls/scheduled-view.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { addressOf, isFolded, resolveAddress } from './tree.ts'
import type { OpenWaits } from '../mail/open-waits.ts'
import { knownPulls, mergedBranches } from '../pulls/pull-records.ts'

/** Status is derived from stored facts when it is read. */
export function createView({
  store,
  forge,
  paths,
  clock,
  settings,
  openWaits,
}: Pick<Deps, 'store' | 'forge' | 'paths' | 'clock' | 'settings'> & {
  openWaits: Pick<OpenWaits, 'of'>
}): View {
  /** A configuration that can’t be read hides what things cost, not the tree. */
  const configured = (): Promise<{ prices: Config['prices']; radar: boolean }> =>
    settings.snapshot().then(
      ({ config }) => ({ prices: config.prices, radar: config.radar.enabled }),
      () => ({ prices: {}, radar: true }),
    )

  return {
    attention: async () => {
      const facts = await readInboxFacts(store)
      const working = facts.agents.filter(
        ({ state }) => state === 'running' || state === 'spawning',
      )
      return { working: working.length, items: itemsOf(facts).length }
    },
    tree: async (wanted = {}) => {
      const [
        agents,
        pulls,
        undelivered,
        undecided,
        unread,
        questions,
        inbox,
        news,
        approvals,
        unfinished,
        { prices: priced, radar },
        forgeNow,
        own,
        foretold,
      ] = await Promise.all([
        store.agents.list(),
        knownPulls(store),
        store.outbox.counts(['queued'], { reach: 'wake' }),
        store.outbox.counts(['undecided']),
        store.mail.counts(),
        store.questions.open(),
        store.outbox.counts(['queued', 'sent']),
        store.outbox.counts(['queued', 'sent'], { but: ANNOUNCEMENTS }),
        store.approvals.pending(),
        store.journal.open(),
        configured(),
        forgeView(forge, store),
        allOwnWaits(store),
        store.snapshots.list(TOLD_PREFIX),
      ])
      const items = itemsOf(
        await readInboxFacts(store, { agents, pulls, questions, approvals, journal: unfinished }),
      )
      const now = clock()
      const pullOf = new Map<string, PullRequestSnapshot>()
      for (const pull of pulls) pullOf.set(pull.head.branch, pull)
      const byId = new Map(agents.map((agent) => [agent.id, agent]))
      // What was cleaned away leaves its children to the next above it.
      const shownUnder = (agent: Agent): Agent['parentId'] => {
        const parent = agent.parentId === null ? undefined : byId.get(agent.parentId)
        return parent === undefined || parent.reapedAt === null
          ? agent.parentId
          : shownUnder(parent)
      }
      const byParent = Map.groupBy(
        agents.filter((agent) => agent.reapedAt === null),
        shownUnder,
      )
      const landings = landingsIn(unfinished, now)
      const asked = Map.groupBy(questions, (question) => question.agentId)
      const short = shortAddresses(agents)
      const itemsOfAgent = itemsByAgent(items, byId, shownUnder)
      // What was told before the radar was turned off nobody looks at again.
      const conflictsOf = radar ? conflictsTold(foretold, byId) : new Map<string, string[]>()
      const waitsOf = waitsIn({ agents, pulls, questions, approvals, journal: unfinished, own })

      const node = (agent: Agent): TreeNode => {
        const pull = sharesBranch(agent) ? undefined : pullOf.get(agent.branch)
        const pr = pull === undefined ? null : pullView(pull, landings)
        return {
          id: agent.id,
          name: agent.name,
          short: short.get(agent.id) ?? agent.name,
          kind: agent.kind,
          runtime: agent.runtime,
          role: agent.role,
          agent: agent.agentCli,
          branch: agent.branch,
          base_branch: agent.baseBranch,
          worktree: agent.worktree,
          state: agent.state,
          state_reason: agent.stateReason,
          state_source: agent.stateSource,
          state_age_seconds: seconds(now - agent.stateAt),
          depth: agent.depth,
          parent_id: agent.parentId,
          pane: agent.paneId,
          pid: agent.pid,
          pr,
          tokens: agent.tokens,
          ...spent(agent, priced),
          tool_calls: agent.toolCalls,
          age_seconds: seconds(now - agent.spawnedAt),
          undelivered: undelivered.get(agent.id) ?? 0,
          undecided: undecided.get(agent.id) ?? 0,
          unread: unread.get(agent.id) ?? 0,
          waiting_for: openWaits.of(agent.id),
          open_questions: asked.get(agent.id)?.length ?? 0,
          waits: waitsOf(agent).map(({ what, since }) => ({
            ...{ what, since: new Date(since).toISOString() },
            age_seconds: seconds(now - since),
          })),
          items: itemsOfAgent.get(agent.id) ?? 0,
          outcome: agent.outcome === null ? null : withoutTime(agent.outcome),
          turn: whoseTurn(byId, agent, {
            question: asked.has(agent.id),
            pull: pr,
            items: itemsOfAgent.get(agent.id) ?? 0,
          }),
          task: agent.kind === 'process' ? '' : firstWords(agent.task),
          conflicts: conflictsOf.get(agent.id) ?? [],
          command: agent.kind === 'process' ? agent.task : null,
          exit_code: agent.exitCode,
          exit_signal: agent.exitSignal,
          matches: true,
          hidden: 0,
          children: (byParent.get(agent.id) ?? []).map(node),
        }
      }
      const root = agents.find((agent) => agent.kind === 'root')
      if (root === undefined)
        throw new ExomonadError(
          'NOT_INITIALIZED',
          'No root is registered here. Run `exomonad init`.',
        )
      const { under, ...criteria } = wanted
      const query: TreeQuery =
        under === undefined ? criteria : { ...criteria, under: inSight(agents, under).id }
      const merged = mergedBranches(pulls)
      const below = agents.filter((agent) => agent.kind !== 'root' && agent.reapedAt === null)
      return {
        repository: paths.home,
        root: selectTree(node(root), query),
        counts: {
          agents: below.length,
          live: below.filter((agent) => isAlive(agent.state)).length,
          done: below.filter(
            (agent) =>
              agent.state === 'completed' ||
              agent.outcome?.success === true ||
              isFolded(agent, merged),
          ).length,
          failed: below.filter(
            (agent) => agent.state === 'failed' || agent.outcome?.success === false,
          ).length,
        },
        inbox: {
          messages: inbox.get('human') ?? 0,
          questions: questions.filter((question) => question.agentId === root.id).length,
          approvals: approvals.length,
          items: items.length,
          news: news.get('human') ?? 0,
        },
        forge: forgeNow,
        unfinished: unfinished.map((entry) => ({
          kind: entry.kind,
          step: entry.step,
          age_seconds: seconds(now - entry.startedAt),
          facts: entry.data,
        })),
      }
    },
  }
}

/** Of an address; AGENT_NOT_FOUND too where it is out of sight. */
function inSight(agents: readonly Agent[], address: string): Agent {
  const agent = resolveAddress(agents, address)
  if (agent.reapedAt === null) return agent
  throw new ExomonadError(
    'AGENT_NOT_FOUND',
    `${agent.name} is out of sight (reap): the tree does not show it. \`exomonad result ${addressOf(agent)}\` says what came of it.`,
    { agent: agent.id },
  )
}

const pullView = (
  pull: PullRequestSnapshot,
  landings: ReturnType<typeof landingsIn>,
): TreeNode['pr'] => ({
  number: pull.number,
  url: pull.url,
  state: pull.state,
  draft: pull.draft,
  checks: pull.checksState,
  review: pull.reviewDecision,
  mergeable: pull.mergeable,
  landing: landings.get(pull.number) ?? null,
  scheduled: scheduledView(pull),
})

/** Characters of a task that a row could show. */
const TASK = 160
const firstWords = (task: string): string =>
  task
    .slice(0, 4 * TASK)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, TASK)

const withoutTime = ({ at: _at, ...outcome }: Outcome): Outcome => outcome

const seconds = (milliseconds: number): number => Math.max(0, Math.round(milliseconds / 1000))

function spent(
  { usage }: Agent,
  prices: Config['prices'],
): Pick<TreeNode, 'usage' | 'cost_usd' | 'unpriced_models'> {
  if (usage === null) return { usage: null, cost_usd: null, unpriced_models: [] }
  const { usd, unpriced } = costOf(usage, prices)
  const models = Object.entries(usage.models)
  return {
    usage: Object.fromEntries(
      models.map(([model, { input, output, cacheRead, cacheWrite }]) => [
        model,
        { input, output, cache_read: cacheRead, cache_write: cacheWrite },
      ]),
    ),
    cost_usd: models.length > unpriced.length ? usd : null,
    unpriced_models: [...unpriced],
  }
}
