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
  const clear = (unread: readonly Delivery[]): Receipt => ({
    confirm: async () => {
      const ids = unread.map(({ id }) => id)
      await store.transaction(async (tx) => {
        await tx.outbox.settle(ids, 'acked', 'read in the inbox', clock())
        await mailbox.readInInbox(tx, unread)
      })
    },
    giveBack: async () => {},
  })

  return async ({ clear: clears, agent, type, item }, take) => {
    if (clears && [agent, type, item].some((narrowing) => narrowing !== undefined))
      throw new ExomonadError(
        'INVALID_ARG',
        'Clearing marks all news as read: it goes with no item, agent or type. Nothing was marked.',
        { field: 'clear' },
      )
    const unread = await store.outbox.list({ recipient: 'human', states: ['queued', 'sent'] })
    const facts = await readInboxFacts(store)
    const all = itemsOf(facts, await readySince(store, pullsOfItems(facts)))
    const about = agent === undefined ? undefined : resolveAddress(facts.agents, agent).id
    const narrowed = <Line extends Item | NewsLine>(lines: readonly Line[]): Line[] =>
      lines.filter(({ agent_id: id }) => about === undefined || id === about)
    const fitting = narrowed(all).filter(({ type: is }) => type === undefined || is === type)
    const result = {
      items:
        item === undefined
          ? fitting
          : item === NEXT
            ? fitting.slice(0, 1)
            : [itemCalled(all, item)],
      news:
        item !== undefined || isItemType(type) ? [] : narrowed(await newsOf(unread, facts, all)),
      ...plainly(unread, facts, all),
    }
    if (clears && unread.length > 0) {
      if (take === undefined) await clear(unread).confirm()
      else take(clear(unread))
    }
    return result
  }

  async function newsOf(
    unread: readonly Delivery[],
    facts: InboxFacts,
    items: readonly Item[],
  ): Promise<NewsLine[]> {
    const news = unread.filter((delivery) => isNews(delivery, facts, items))
    return foldNews(news, facts.agents, await aboutOf(store, news))
  }
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
  const isItem = (id: string): boolean => items.some((item) => item.id === id)
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
      .filter(({ id }) => isItem(`question:${id}`))
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
