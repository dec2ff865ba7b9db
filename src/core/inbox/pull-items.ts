import { sharesBranch } from '../../domain/agent-kinds.ts'
import { baseOwners, placed } from '../../domain/base-owner.ts'
import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import { parentBranch } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import { landingsIn } from '../fold/view.ts'
import { authorOf } from '../pulls/pull-authority.ts'
import { blockersOf, isBlocked, isReady } from '../pulls/readiness.ts'
import type { Around, Found } from './around.ts'
import type { InboxFacts } from './inbox-facts.ts'

/**
 * Pull requests that a person has to act on: whose base no agent looks after, once they can be
 * merged, and those that lack what only a person can give. Not what is asked to be merged already.
 */
export function yourPulls(
  { agents, pulls, journal }: InboxFacts,
  around: Around,
): PullRequestSnapshot[] {
  const landing = landingsIn(journal, 0)
  return pulls.filter(
    (pull) =>
      !landing.has(pull.number) &&
      (needsPerson(pull) ||
        ((isReady(pull) || isBlocked(pull)) && isYoursToMerge(pull, agents, around))),
  )
}

const needsPerson = (pull: PullRequestSnapshot): boolean =>
  isBlocked(pull) && blockersOf(pull).some(({ person }) => person)

/** As the router has it: of one that no agent filed by its branches. */
function isYoursToMerge(
  pull: PullRequestSnapshot,
  agents: readonly Agent[],
  around: Around,
): boolean {
  const author = authorOf(agents, pull)
  if (author !== undefined)
    return around.isYours(baseOwners(placed(agents), author.id, pull.base.branch)[0]?.id ?? null)
  const on = (branch: string | null): Agent | undefined =>
    agents.find((agent) => agent.branch === branch && !sharesBranch(agent) && isAlive(agent.state))
  return around.isYours((on(pull.base.branch) ?? on(parentBranch(pull.head.branch)))?.id ?? null)
}

export const pullItems = (
  facts: InboxFacts,
  around: Around,
  ready: ReadonlyMap<number, number>,
): Found[] =>
  yourPulls(facts, around).map((pull): Found => {
    const { number, title, head, base, url } = pull
    const author = authorOf(facts.agents, pull)
    const needs = blockersOf(pull).map((blocker) => blocker.needs)
    const canMerge = isReady(pull)
    const whose = author === undefined ? '' : ` of ${author.name}`
    return {
      id: `pull:${number}`,
      type: 'pull',
      agent: author?.name ?? null,
      agent_id: author?.id ?? null,
      since: ready.get(number) ?? pull.updatedAt,
      title: `#${number} “${title}”${whose} ${canMerge ? `can be merged into ${base.branch}` : `needs ${needs.join(', and ')}`}`,
      text: [
        `${title}`,
        `${head.branch} → ${base.branch} at ${head.sha.slice(0, 10)}`,
        `checks: ${pull.checksState}, review: ${pull.reviewDecision}`,
        ...needs.map((need) => `it needs ${need}`),
        url,
      ].join('\n'),
      settle: canMerge
        ? [
            `exomonad pr diff ${number}`,
            `exomonad pr merge ${number}`,
            `exomonad pr review ${number} --request-changes --message "…"`,
          ]
        : [`exomonad pr show ${number}`, `exomonad pr diff ${number}`],
    }
  })
