import type { StoreTransaction } from '../../adapters/store/store.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { newQuestionId, type QuestionId } from '../../domain/ids.ts'
import type { BlockingCalls } from '../turns/blocking-calls.ts'
import type { Messages } from '../mail/message-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { actorOf, requireAlive, requireBelow } from '../agents/directory.ts'
import type { Receipt } from '../mail/receipt.ts'
import { resolveAddress } from '../agents/tree.ts'

type Questions = Pick<Messages, 'question' | 'answer'> & {
  /** Returns that a crash kept from their asker, as messages. */
  deliverUnclaimed(): Promise<void>
  /**
   * After a start: answers that calls of before had taken, and that nobody knows to have arrived,
   * are free again.
   */
  giveBackUnconfirmed(): Promise<void>
  /** A question asked in an agent’s name that nobody waits for: its answer comes as a message. */
  askInBehalf(caller: Caller, message: string): Promise<QuestionId>
}

/**
 * An answer reaches the asker once: as the result of the call that waits, or, where none does any
 * more, as a message. Which of the two is settled by `store.questions.claim`, that one caller ever
 * wins; a result that does not arrive gives its claim back.
 */
export function createQuestions({
  store,
  publisher,
  settings,
  clock,
  blockingCalls,
}: Pick<Deps, 'store' | 'publisher' | 'settings' | 'clock'> & {
  blockingCalls: Pick<BlockingCalls, 'begin'>
}): Questions {
  const waiters = new Map<QuestionId, () => void>()

  const ask = async (caller: Caller, message: string, id: QuestionId): Promise<void> => {
    await store.transaction(async (tx) => {
      await tx.questions.insert({
        id,
        agentId: caller.agent.id,
        message,
        askedAt: clock(),
        answer: null,
        answeredBy: null,
        answeredAt: null,
        claimedBy: null,
      })
      await publisher.publish(
        {
          type: 'question.asked',
          agentId: caller.agent.id,
          actor: caller.agent.id,
          payload: { name: caller.agent.name, question_id: id, message },
        },
        tx,
      )
    })
  }

  const publishAnswered = async (
    tx: StoreTransaction,
    id: QuestionId,
    deliveredBy: 'tool' | 'message',
  ): Promise<void> => {
    const question = await tx.questions.get(id)
    if (question === undefined || question.answer === null) return
    const by = question.answeredBy ?? 'daemon'
    const name = (await tx.agents.list()).find((agent) => agent.id === by)?.name ?? by
    await publisher.publish(
      {
        type: 'question.answered',
        agentId: question.agentId,
        actor: by,
        payload: {
          question_id: id,
          question: question.message,
          answer: question.answer,
          by: name,
          delivered_by: deliveredBy,
        },
      },
      tx,
    )
  }

  /**
   * Takes the answer and makes a message of it, together: a crash leaves it delivered or unclaimed.
   * False where another way was taken.
   */
  const deliver = (id: QuestionId): Promise<boolean> =>
    store.transaction(async (tx) => {
      if (!(await tx.questions.claim(id, 'delivery'))) return false
      await publishAnswered(tx, id, 'message')
      return true
    })

  /** The call that waited has the answer in its result. */
  const receiptOf = (id: QuestionId): Receipt => ({
    confirm: () =>
      store.transaction(async (tx) => {
        await tx.questions.confirm(id)
        await publishAnswered(tx, id, 'tool')
      }),
    giveBack: async () => {
      if (await store.questions.giveBack(id)) await deliver(id)
    },
  })

  return {
    askInBehalf: async (caller, message) => {
      const id = newQuestionId()
      await ask(caller, message, id)
      return id
    },
    deliverUnclaimed: async () => {
      for (const { id } of await store.questions.unclaimed())
        if (!waiters.has(id)) await deliver(id)
    },

    giveBackUnconfirmed: async () => {
      for (const { id } of await store.questions.unconfirmed()) await store.questions.giveBack(id)
    },

    question: async (caller, message, timeout, signal, take) => {
      const { config } = await settings.snapshot()
      const seconds = timeout ?? config.question.timeout
      const id = newQuestionId()
      const { agent } = caller
      const over = Promise.withResolvers<void>()
      const stop = (): void => over.resolve()
      // Before anybody can know of it: an answer may come at once.
      waiters.set(id, stop)
      signal.addEventListener('abort', stop, { once: true })
      let timer: NodeJS.Timeout | undefined
      try {
        await ask(caller, message, id)
        // Whoever else asks as the agent leaves its program as it is.
        const ended =
          caller.kind === 'human' || caller.actedBy !== undefined
            ? async () => {}
            : await blockingCalls.begin(agent, `question ${id}`)
        try {
          timer = setTimeout(stop, seconds * 1000)
          if (!signal.aborted) await over.promise
        } finally {
          await ended()
        }
      } catch (thrown) {
        // Whoever answered meanwhile was informed that the call has it.
        waiters.delete(id)
        if ((await store.questions.get(id))?.answer != null) await deliver(id)
        throw thrown
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        waiters.delete(id)
      }
      const question = await store.questions.get(id)
      // Where the caller went away before it could have the answer, the answer follows as a
      // message.
      if (question?.answer == null) return { status: 'pending', question_id: id }
      if (signal.aborted) await deliver(id)
      else if (await store.questions.claim(id, 'tool')) {
        if (take === undefined) await receiptOf(id).confirm()
        else take(receiptOf(id))
        return { status: 'answered', question_id: id, answer: question.answer }
      }
      return { status: 'pending', question_id: id }
    },

    answer: async (caller, address, message, questionId) => {
      const agents = await store.agents.list()
      const asker = resolveAddress(agents, address)
      const own = caller.kind === 'human' && asker.id === caller.agent.id
      if (!own) requireBelow(agents, caller, asker, 'answer')
      const open = await store.questions.open(asker.id)
      const question =
        questionId === undefined ? open[0] : open.find((candidate) => candidate.id === questionId)
      if (question === undefined) {
        throw new ExomonadError(
          'NO_PENDING_QUESTION',
          questionId === undefined
            ? `${asker.name} has no question open. To write to it, use send.`
            : `${asker.name} has no open question ${questionId}${open.length > 0 ? `; open: ${open.map((other) => other.id).join(', ')}` : ''}.`,
          { agent: asker.id, open: open.map((other) => other.id) },
        )
      }
      if (asker.kind !== 'root') requireAlive(asker, 'answer')
      if (!(await store.questions.answer(question.id, message, actorOf(caller), clock()))) {
        throw new ExomonadError(
          'NO_PENDING_QUESTION',
          `${question.id} was answered a moment ago.`,
          { question_id: question.id },
        )
      }
      const waiter = waiters.get(question.id)
      if (waiter !== undefined) {
        waiter()
        return { status: 'delivered', question_id: question.id }
      }
      await deliver(question.id)
      return { status: 'queued', question_id: question.id }
    },
  }
}
