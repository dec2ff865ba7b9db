import { createHash } from 'node:crypto'
import type { Notice, NoticeItem, NoticeKind } from '../../adapters/notify/target.ts'

/** One and several of each kind, in the order in which they are said. */
const KINDS: Readonly<Record<NoticeKind, readonly [one: string, several: string]>> = {
  question: ['question', 'questions'],
  approval: ['approval', 'approvals'],
  waiting: ['agent waits in its terminal', 'agents wait in their terminals'],
  failure: ['failed agent', 'failed agents'],
  delivery: ['message that may not have arrived', 'messages that may not have arrived'],
  budget: ['budget is used up', 'budgets are used up'],
  pull_request: ['pull request', 'pull requests'],
  other: ['other message', 'other messages'],
}

/** Agents that are named in a line. */
const NAMED = 5
/** Of one message’s words, characters. */
const WORDS = 400

/** Several messages about the same are one thing that needs a person: the newest stands for it. */
export interface Subject {
  readonly subject: string
}

/** What a target is sent for these, oldest first. `id` is made of who is told of what. */
export function composeNotice(
  target: string,
  items: readonly (NoticeItem & Subject)[],
  options: { readonly text: boolean; readonly isPlain?: boolean },
): Notice {
  const newest = [...new Map(items.map((item) => [item.subject, item])).values()]
  // Field by field: what else an item has with it goes nowhere.
  const shown = newest.map(({ id, kind, event, agent, at, text }): NoticeItem => ({
    ...{ id, kind, event, agent, at },
    ...(options.text && text !== undefined ? { text } : {}),
  }))
  const id = createHash('sha256')
    .update([target, ...items.map((item) => item.id).toSorted()].join('\n'))
    .digest('hex')
    .slice(0, 24)
  const [only] = shown
  if (options.isPlain === true && shown.length === 1 && only?.text !== undefined)
    return { id, title: only.text, body: '', items: shown, test: false }
  const words = shown.flatMap(({ text }) => (text === undefined ? [] : ['', cut(text)]))
  return {
    id,
    title: `exomonad: ${shown.length} ${shown.length === 1 ? 'thing needs' : 'things need'} you`,
    body: [...counts(shown), ...words].join('\n'),
    items: shown,
    test: false,
  }
}

/** `2 questions (auth, db)`, a line for each kind. */
function counts(items: readonly NoticeItem[]): string[] {
  return (Object.keys(KINDS) as NoticeKind[]).flatMap((kind) => {
    const of = items.filter((item) => item.kind === kind)
    if (of.length === 0) return []
    const names = [...new Set(of.flatMap(({ agent }) => agent ?? []))]
    const rest = names.length - NAMED
    const named = [...names.slice(0, NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
    const line = `${of.length} ${KINDS[kind][of.length === 1 ? 0 : 1]}`
    return [named === '' ? line : `${line} (${named})`]
  })
}

const cut = (text: string): string => (text.length <= WORDS ? text : `${text.slice(0, WORDS - 1)}…`)

/** What `exomonad notify test` sends: it looks like the others, and says that it is none. */
export const testNotice = (id: string): Notice => ({
  id,
  title: 'exomonad: a test',
  body: 'Nothing needs you. Notifications reach you here.',
  items: [],
  test: true,
})
