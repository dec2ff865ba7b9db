import { ALL_EVENTS } from '../../../../src/events/all.ts'

/** Events by what a person looks for; one may belong to several. */
const GROUPS = [
  ['merged', 'Merged', ['pr.merged', 'landing.done', 'fold.landed']],
  [
    'failed',
    'Failed',
    [
      ...['agent.failed', 'spawn.failed', 'delivery.failed', 'agent.limited', 'rebase.aborted'],
      ...['ci.failed', 'landing.red', 'fold.red', 'base.red', 'forge.trouble', 'budget.exhausted'],
    ],
  ],
  ['asked', 'Asked of people', ['question.', 'approval.', 'agent.waiting', 'delivery.undecided']],
  ['checks', 'Checks', ['ci.', 'base.', 'landing.', 'fold.']],
  ['pulls', 'Pull requests', ['pr.', 'review.', 'merge.', 'landing.']],
  ['conflicts', 'Conflicts', ['conflict.', 'pr.conflict', 'rebase.']],
  ['agents', 'Agents', ['agent.', 'spawn.', 'stop.', 'rebase.']],
  ['mail', 'Mail', ['note', 'message', 'mail', 'delivery.']],
  ['tree', 'Daemon, forge', ['daemon.', 'tree.', 'forge.', 'issue.', 'budget.']],
] as const

export type GroupId = (typeof GROUPS)[number][0]

const isIn = (type: string, beginnings: readonly string[]): boolean =>
  beginnings.some((one) => type.startsWith(one))

export const KINDS: readonly {
  readonly id: GroupId
  readonly name: string
  readonly types: readonly string[]
}[] = GROUPS.map(([id, name, beginnings]) => ({
  id,
  name,
  types: ALL_EVENTS.map(({ type }) => type).filter((type) => isIn(type, beginnings)),
}))

/** Types that are wanted: those of the groups, else all that matter, or really all. */
export function typesOf(groups: readonly string[], everything: boolean): readonly string[] | null {
  const chosen = KINDS.filter(({ id }) => groups.includes(id)).flatMap(({ types }) => types)
  const isWanted = new Set(
    ALL_EVENTS.filter(({ minor }) => everything || minor !== true).map(
      ({ type }) => type as string,
    ),
  )
  if (chosen.length === 0) return everything ? null : [...isWanted]
  return [...new Set(chosen)].filter((type) => isWanted.has(type))
}
