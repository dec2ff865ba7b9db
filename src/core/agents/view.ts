import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { selectTree } from '../tree/select-tree.ts'
import type { TreeNode, TreeQuery, View } from './tree-document.ts'
import type { Deps } from '../deps.ts'
import { forgeView } from '../pulls/forge-view.ts'
import { readInboxFacts } from '../inbox/inbox-facts.ts'
import { itemsOf } from '../inbox/items.ts'
import { addressOf, resolveAddress } from './tree.ts'
import type { OpenWaits } from '../mail/open-waits.ts'
import { nodeDocument } from '../tree/node-document.ts'
import { readTreeFacts } from '../tree/tree-facts.ts'
import { indexTree } from '../tree/tree-index.ts'
import { createAgentMail } from '../mail/agent-mail.ts'
import { createAgentDiff } from '../tree/agent-diff.ts'
import { createUsageView } from '../usage/usage-view.ts'
import { createTreeChanges } from '../tree/tree-changes.ts'

type ViewDeps = Pick<
  Deps,
  'store' | 'touches' | 'forge' | 'git' | 'paths' | 'clock' | 'settings'
> & {
  openWaits: Pick<OpenWaits, 'of'>
}

/** Status is derived from stored facts when it is read. */
export function createView(deps: ViewDeps): View {
  const { store, forge, paths, clock, settings, openWaits } = deps
  return {
    attention: async () => {
      const facts = await readInboxFacts(store)
      const working = facts.agents.filter(
        ({ state }) => state === 'running' || state === 'spawning',
      )
      return { working: working.length, items: itemsOf(facts).length }
    },
    changes: createTreeChanges(deps),
    usage: createUsageView(deps),
    diff: createAgentDiff(deps),
    mail: createAgentMail(deps),
    tree: async (wanted = {}) => {
      const [facts, forgeNow] = await Promise.all([
        readTreeFacts(store, settings),
        forgeView(forge, store),
      ])
      const now = clock()
      const index = indexTree(facts, openWaits)
      const byParent = Map.groupBy(index.shown, index.under)
      const node = (agent: Agent): TreeNode => ({
        ...nodeDocument(index.factsOf(agent), now),
        matches: true,
        hidden: 0,
        children: (byParent.get(agent.id) ?? []).map(node),
      })
      const { under, ...criteria } = wanted
      const query: TreeQuery =
        under === undefined ? criteria : { ...criteria, under: inSight(facts.agents, under).id }
      return {
        repository: paths.home,
        root: selectTree(node(index.root), query),
        counts: index.counts,
        inbox: index.inbox,
        forge: forgeNow,
        unfinished: index.unfinished(now),
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
