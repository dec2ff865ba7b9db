import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Agent, Mail, Outcome } from '../adapters/store/store.ts'
import { ExomonadError } from '../errors.ts'
import type { Approvals } from './approvals.ts'
import type { Caller, Talking } from './core.ts'
import type { Deps } from './deps.ts'
import { actorOf, requireAlive } from './directory.ts'
import type { AgentId } from '../ids.ts'
import { isAlive, STOPPED } from './lifecycle.ts'
import type { Receipt } from './receipt.ts'
import { resolveAddress } from './tree.ts'

/** The message by which an agent says that its task is done: JSON, so that one message tells state, outcome and result. */
const completion = z.union([
  z.object({ status: z.literal('idle'), success: z.literal(true), summary: z.string() }),
  z.object({ status: z.literal('idle'), success: z.literal(false), error: z.string(), partial: z.string().optional() }),
])

/** A root that nobody started, or whose program is gone. */
const isUnmanned = (root: Agent): boolean => root.paneId === null || root.stateReason === STOPPED

export function parseCompletion(message: string): Outcome | undefined {
  if (!message.trimStart().startsWith('{')) return undefined
  try {
    const parsed = completion.safeParse(JSON.parse(message))
    if (!parsed.success) return undefined
    const { status: _, ...outcome } = parsed.data
    return outcome as Outcome
  } catch {
    return undefined
  }
}

/** The key under which it stands that an agent was told of the mail that waits for it. */
const noticeOf = (id: AgentId): string => `mail-notice:${id}`

export type Talks = Talking & {
  /** For a program that was started anew: mail that waits, of which the one before it may have been told. */
  remindOfMail(agent: Agent): Promise<void>
  /** After a start: mail that calls of before had taken, and that nobody knows to have arrived, is back in its boxes. */
  giveBackUnconfirmed(): Promise<void>
}

export function createTalking({
  store,
  publisher,
  outbox,
  clock,
  approvals,
  questions,
}: Pick<Deps, 'store' | 'publisher' | 'outbox' | 'clock'> & { approvals: Approvals; questions: Pick<Talking, 'question' | 'answer'> }): Talks {
  /** A person’s words, or an agent’s to a root without a program: injected, or put in the inbox, as they are. */
  const say = async (from: Caller, to: Agent, message: string) => {
    await publisher.publish({ type: 'message', agentId: to.id, actor: actorOf(from), payload: { message } })
  }

  const mail = async (from: Agent, to: Agent, message: string) => {
    const outcome = from.parentId === to.id ? parseCompletion(message) : undefined
    await store.transaction(async (tx) => {
      await tx.mail.send({ id: randomUUID(), from: from.id, to: to.id, message, sentAt: clock() })
      if (outcome !== undefined) {
        await tx.agents.update(from.id, { outcome })
        await publisher.publish(
          outcome.success
            ? { type: 'agent.completed', agentId: from.id, actor: from.id, payload: { name: from.name, summary: outcome.summary ?? '' } }
            : {
                type: 'agent.failed',
                agentId: from.id,
                actor: from.id,
                payload: { name: from.name, exit_code: null, signal: null, reason: outcome.error ?? '', last_lines: outcome.partial ?? '' },
              },
          tx,
        )
        return
      }
      // One line per batch: until the mail is taken, further mail needs no further line.
      const noticed = noticeOf(to.id)
      if ((await tx.snapshots.get(noticed)) !== undefined) return
      await tx.snapshots.put(noticed, { at: clock() })
      await publisher.publish({ type: 'mail', agentId: to.id, actor: from.id, payload: { from_id: from.id, from_name: from.name, count: 1 } }, tx)
    })
  }

  /** A program that may not know: mail waits for it. */
  const remindOfMail = (agent: Pick<Agent, 'id'>) =>
    store.transaction(async (tx) => {
      const [first, ...more] = await tx.mail.peek(agent.id)
      if (first === undefined) return
      // The line itself may still wait, and then comes to the new program.
      if ((await tx.outbox.list({ recipient: agent.id, states: ['queued'] })).some((delivery) => delivery.kind === 'mail')) return
      await tx.snapshots.put(noticeOf(agent.id), { at: clock() })
      const name = (await tx.agents.get(first.from))?.name ?? first.from
      await publisher.publish(
        { type: 'mail', agentId: agent.id, actor: first.from, payload: { from_id: first.from, from_name: name, count: more.length + 1 } },
        tx,
      )
    })

  /** Of mail that a call’s result carries. */
  const receiptOf = (mails: readonly Mail[]): Receipt => {
    const ids = mails.map(({ id }) => id)
    return {
      confirm: () => store.mail.confirm(ids),
      giveBack: async () => {
        await store.mail.giveBack(ids)
        for (const id of new Set(mails.map(({ to }) => to))) await remindOfMail({ id })
      },
    }
  }

  return {
    question: questions.question,
    answer: questions.answer,

    remindOfMail,

    giveBackUnconfirmed: async () => {
      const mails = await store.mail.unconfirmed()
      if (mails.length > 0) await receiptOf(mails).giveBack()
    },

    note: async (caller, message, options = {}) => {
      await store.transaction(async (tx) => {
        if (options.stopReason === true) await tx.agents.update(caller.agent.id, { stopExcuse: message })
        await publisher.publish({ type: 'note', agentId: caller.agent.id, actor: caller.agent.id, payload: { name: caller.agent.name, message } }, tx)
      })
      return { status: 'sent' }
    },

    send: async (caller, address, message) => {
      const to = resolveAddress(await store.agents.list(), address)
      if (caller.kind === 'agent' && to.id === caller.agent.id)
        throw new ExomonadError('INVALID_ARG', 'That is yourself. Send to another agent, or just write it down.', { to: to.id })
      if (message.trim() === '') throw new ExomonadError('INVALID_ARG', 'The message is empty.', { to: to.id })
      if (to.kind !== 'root') requireAlive(to, 'send to')
      const unmanned = to.kind === 'root' && isUnmanned(to)
      if (caller.kind === 'human') await say(caller, to, message)
      else if (unmanned && parseCompletion(message) === undefined) await say(caller, to, message)
      else await mail(caller.agent, to, message)
      return { status: 'sent', to: to.id }
    },

    checkMail: async (caller, peek, take) => {
      const mails = peek
        ? await store.mail.peek(caller.agent.id)
        : await store.transaction(async (tx) => {
            await tx.snapshots.remove(noticeOf(caller.agent.id))
            return tx.mail.pop(caller.agent.id)
          })
      if (!peek && mails.length > 0) {
        const receipt = receiptOf(mails)
        if (take === undefined) await receipt.confirm()
        else take(receipt)
      }
      const names = new Map((await store.agents.list()).map((agent) => [agent.id, agent.name]))
      return { messages: mails.map(({ from, message, sentAt }) => ({ from, name: names.get(from) ?? from, message, sent_at: sentAt })) }
    },

    ack: async (caller, ids) => {
      const acked = await outbox.ack(caller.agent.id, ids)
      return { acked, unknown: ids.filter((id) => !acked.includes(id)) }
    },

    read: async (caller, id) => {
      const message = await outbox.read(caller.agent.id, id)
      if (message === undefined) {
        throw new ExomonadError(
          'INVALID_ARG',
          `There is no message ${id} to ${caller.agent.name}. Give an id that stands in square brackets in what you were sent.`,
          {
            field: 'id',
            found: id,
          },
        )
      }
      return { id, message }
    },

    inbox: async ({ clear }, take) => {
      const waiting = await store.outbox.list({ recipient: 'human', states: ['queued', 'sent'] })
      const agents = await store.agents.list()
      const nameOf = new Map(agents.map((agent) => [agent.id, agent.name]))
      const root = agents.find((agent) => agent.kind === 'root')
      // The root’s program answers its children itself; without one, or for its own questions, the human does.
      const unmanned = root === undefined || isUnmanned(root)
      const parentOf = new Map(agents.map((agent) => [agent.id, agent.parentId]))
      const alive = new Set(agents.filter((agent) => isAlive(agent.state)).map((agent) => agent.id))
      const open = (await store.questions.open()).filter(
        (question) => alive.has(question.agentId) && (question.agentId === root?.id || (unmanned && parentOf.get(question.agentId) === root?.id)),
      )
      const approvalsOpen = await store.approvals.pending()
      if (clear && waiting.length > 0) {
        const read: Receipt = {
          confirm: async () => {
            const ids = waiting.map((delivery) => delivery.id)
            await store.outbox.settle(ids, 'acked', 'read in the inbox', clock())
          },
          giveBack: async () => {},
        }
        if (take === undefined) await read.confirm()
        else take(read)
      }
      return {
        messages: waiting.map((delivery) => ({
          id: delivery.id,
          kind: delivery.kind,
          // Of what was meant for an agent that ended: for whom, and why it is here.
          text: delivery.why?.startsWith('meant for ') ? `(${delivery.why}) ${delivery.text}` : delivery.text,
          at: delivery.createdAt,
          question_id: /\b(q-[0-9a-f]{8})\b/.exec(delivery.kind === 'question.asked' ? delivery.text : '')?.[1] ?? null,
        })),
        questions: open.map((question) => ({
          question_id: question.id,
          agent: nameOf.get(question.agentId) ?? question.agentId,
          message: question.message,
          asked_at: question.askedAt,
        })),
        approvals: approvalsOpen.map((approval) => ({
          approval_id: approval.id,
          agent: nameOf.get(approval.agentId) ?? approval.agentId,
          what: approval.what,
          requested_at: approval.requestedAt,
        })),
      }
    },

    decide: (id, decision, reason) => approvals.decide(id, decision, reason),
  }
}
