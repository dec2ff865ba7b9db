import type { ItemType } from '../../domain/inbox-items.ts'
import type { Delivery } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { resolveAddress } from '../agents/tree.ts'
import type { Deps } from '../deps.ts'
import type { Mailbox } from '../mail/mailbox.ts'
import type { Messages } from '../mail/message-use-cases.ts'
import type { Receipt } from '../mail/receipt.ts'
import { itemCalled, NEXT } from './called.ts'
import { readInboxFacts, readySince, type InboxFacts } from './inbox-facts.ts'
import { itemsOf, pullsOfItems } from './items.ts'
import type { Item, NewsLine } from './item.ts'
import { aboutOf, foldNews, isNews, questionIn } from './news.ts'

/** The human’s inbox: what needs them is worked out from the store at each read. */
export function createInbox({
  store,
  clock,
  mailbox,
}: Pick<Deps, 'store' | 'clock'> & { mailbox: Mailbox }): Messages['inbox'] {
  const clear = (read: readonly Delivery[]): Receipt => ({
    confirm: async () => {
      const ids = read.map(({ id }) => id)
      await store.transaction(async (tx) => {
        await tx.outbox.settle(ids, 'acked', 'read in the inbox', clock())
        await mailbox.readInInbox(tx, read)
      })
    },
    giveBack: async () => {},
  })

  return async (wanted, take) => {
    const { clear: clears, seen, agent, type, item, limit, after } = wanted
    refuseTogether(wanted)
    const unread = await store.outbox.list({ recipient: 'human', states: ['queued', 'sent'] })
    const facts = await readInboxFacts(store)
    const all = itemsOf(facts, await readySince(store, pullsOfItems(facts)))
    const about = agent === undefined ? undefined : resolveAddress(facts.agents, agent).id
    const narrowed = <Line extends Item | NewsLine>(lines: readonly Line[]): Line[] =>
      lines.filter(({ agent_id: id }) => about === undefined || id === about)
    const ofAgent = narrowed(all)
    const fitting = ofAgent.filter(({ type: is }) => type === undefined || is === type)
    const { page, next } = pageOf(fitting, { limit, after })
    const hasNews = item === undefined && after === undefined && !isItemType(type)
    const result = {
      items:
        item === undefined ? page : item === NEXT ? fitting.slice(0, 1) : [itemCalled(all, item)],
      next: item === undefined ? next : null,
      total: fitting.length,
      by_type: countByType(ofAgent),
      news: hasNews ? narrowed(await newsOf(unread, facts, all)).slice(0, limit) : [],
      ...(limit === undefined
        ? plainly(unread, facts, all)
        : { messages: [], questions: [], approvals: [] }),
    }
    const wasSeen = seen === undefined ? undefined : new Set(seen)
    const read = clears ? unread.filter(({ id }) => wasSeen?.has(id) ?? true) : []
    if (read.length > 0) {
      if (take === undefined) await clear(read).confirm()
      else take(clear(read))
    }
    return result
  }

  async function newsOf(
    unread: readonly Delivery[],
    facts: InboxFacts,
    items: readonly Item[],
  ): Promise<NewsLine[]> {
    const ids = new Set(items.map(({ id }) => id))
    const news = unread.filter((delivery) => isNews(delivery, facts, ids))
    return foldNews(news, facts.agents, await aboutOf(store, news))
  }
}

type Wanted = Parameters<Messages['inbox']>[0]

/** INVALID_ARG for what makes no sense together. */
function refuseTogether({ clear, seen, agent, type, item, limit, after }: Wanted): void {
  if (seen !== undefined && !clear)
    throw new ExomonadError('INVALID_ARG', 'seen goes with clear. Nothing was marked.', {
      field: 'seen',
    })
  if (clear && [agent, type, item, limit, after].some((narrowing) => narrowing !== undefined))
    throw new ExomonadError(
      'INVALID_ARG',
      'Clearing marks all news as read: it goes with no item, agent, type or page. Nothing was marked.',
      { field: 'clear' },
    )
  if (after !== undefined && limit === undefined)
    throw new ExomonadError('INVALID_ARG', 'after goes on with a page: give its limit as well.', {
      field: 'after',
    })
}

/**
 * Items in their order behind a place in it, which the last item of a page gives by itself: what is
 * settled meanwhile moves nothing.
 */
function pageOf(
  items: readonly Item[],
  { limit, after }: Pick<Wanted, 'limit' | 'after'>,
): { page: Item[]; next: string | null } {
  if (limit === undefined) return { page: [...items], next: null }
  const [, since, id] = /^(\d+) (.+)$/.exec(after ?? '') ?? []
  if (after !== undefined && (since === undefined || id === undefined))
    throw new ExomonadError(
      'INVALID_ARG',
      `after must be what \`next\` of a page was, found ${after}.`,
      {
        field: 'after',
        found: after,
      },
    )
  const left =
    since === undefined || id === undefined
      ? items
      : items.filter(
          (item) => item.since > Number(since) || (item.since === Number(since) && item.id > id),
        )
  const page = left.slice(0, limit)
  const last = page.at(-1)
  return {
    page,
    next: last === undefined || page.length === left.length ? null : `${last.since} ${last.id}`,
  }
}

function countByType(items: readonly Item[]): Partial<Record<ItemType, number>> {
  const counts: Partial<Record<ItemType, number>> = {}
  for (const { type } of items) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

const isItemType = (type: ItemType | 'news' | undefined): type is ItemType =>
  type !== undefined && type !== 'news'

/** The same as messages, questions and approvals, one by one. */
function plainly(
  unread: readonly Delivery[],
  { agents, questions, approvals }: InboxFacts,
  items: readonly Item[],
): Pick<Awaited<ReturnType<Messages['inbox']>>, 'messages' | 'questions' | 'approvals'> {
  const nameOf = new Map(agents.map(({ id, name }) => [id, name]))
  const ids = new Set(items.map(({ id }) => id))
  return {
    messages: unread.map((delivery) => ({
      id: delivery.id,
      kind: delivery.kind,
      // Of what was meant for an agent that ended: for whom, and why it is here.
      text: delivery.why?.startsWith('meant for ')
        ? `(${delivery.why}) ${delivery.text}`
        : delivery.text,
      at: delivery.createdAt,
      question_id: questionIn(delivery),
    })),
    questions: questions
      .filter(({ id }) => ids.has(`question:${id}`))
      .map(({ id, agentId, message, askedAt }) => ({
        question_id: id,
        agent: nameOf.get(agentId) ?? agentId,
        message,
        asked_at: askedAt,
      })),
    approvals: approvals.map(({ id, agentId, what, requestedAt }) => ({
      approval_id: id,
      agent: nameOf.get(agentId) ?? agentId,
      what,
      requested_at: requestedAt,
    })),
  }
}
