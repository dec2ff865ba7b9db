import { ExomonadError } from '../errors.ts'
import { newQuestionId, type QuestionId } from '../ids.ts'
import type { Caller, Talking } from './core.ts'
import type { Deps } from './deps.ts'
import { actorOf, requireAlive, requireBelow } from './directory.ts'
import type { States } from './states.ts'
import { resolveAddress } from './tree.ts'

type Questions = Pick<Talking, 'question' | 'answer'> & {
  /** Agents with a question that a call of theirs waits for now. */
  isWaiting(questionId: QuestionId): boolean
  /** A question asked in an agent’s name that nobody waits for: its answer comes as a message. */
  askInBehalf(caller: Caller, message: string): Promise<QuestionId>
}

/**
 * An answer reaches the asker once: as the result of the call that waits, or, where none does any more, as a message.
 * Which of the two is settled by `store.questions.claim`, that one caller ever wins.
 */
export function createQuestions({
  store,
  publisher,
  settings,
  clock,
  states,
}: Pick<Deps, 'store' | 'publisher' | 'settings' | 'clock'> & { states: States }): Questions {
  const waiters = new Map<QuestionId, () => void>()

  const ask = async (caller: Caller, message: string): Promise<QuestionId> => {
    const id = newQuestionId()
    await store.transaction(async (tx) => {
      await tx.questions.insert({ id, agentId: caller.agent.id, message, askedAt: clock(), answer: null, answeredBy: null, answeredAt: null, claimedBy: null })
      await publisher.publish(
        { type: 'question.asked', agentId: caller.agent.id, actor: caller.agent.id, payload: { name: caller.agent.name, question_id: id, message } },
        tx,
      )
    })
    return id
  }

  const publishAnswered = async (id: QuestionId, deliveredBy: 'tool' | 'message') => {
    const question = await store.questions.get(id)
    if (question === undefined || question.answer === null) return
    await publisher.publish({
      type: 'question.answered',
      agentId: question.agentId,
      actor: question.answeredBy ?? 'daemon',
      payload: { question_id: id, question: question.message, answer: question.answer, by: await nameOf(question.answeredBy), delivered_by: deliveredBy },
    })
  }
  const nameOf = async (actor: string | null) =>
    actor === null || actor === 'human' || actor === 'daemon'
      ? (actor ?? 'daemon')
      : ((await store.agents.list()).find((agent) => agent.id === actor)?.name ?? actor)

  return {
    isWaiting: (id) => waiters.has(id),
    askInBehalf: ask,

    question: async (caller, message, timeout, signal) => {
      const config = await settings.config()
      const seconds = timeout ?? config.question.timeout
      const id = await ask(caller, message)
      const before = caller.agent.state
      const waits = caller.agent.kind !== 'root' || caller.kind === 'agent'
      if (waits) await states.change(caller.agent.id, { to: 'waiting', reason: `question ${id}`, source: 'tool', actor: caller.agent.id })
      let timer: NodeJS.Timeout | undefined
      let stop: (() => void) | undefined
      try {
        await new Promise<void>((resolve) => {
          stop = () => resolve()
          waiters.set(id, stop)
          timer = setTimeout(stop, seconds * 1000)
          signal.addEventListener('abort', stop, { once: true })
          // Answered between the insert and here.
          void store.questions.get(id).then((question) => question?.answer != null && resolve())
        })
      } finally {
        clearTimeout(timer)
        if (stop !== undefined) signal.removeEventListener('abort', stop)
        waiters.delete(id)
        if (waits) await states.change(caller.agent.id, { to: before === 'idle' ? 'idle' : 'running', source: 'tool', actor: caller.agent.id })
      }
      const question = await store.questions.get(id)
      if (question?.answer != null && !signal.aborted && (await store.questions.claim(id, 'tool'))) {
        await publishAnswered(id, 'tool')
        return { status: 'answered', question_id: id, answer: question.answer }
      }
      // Answered, but the caller went away before it could be told.
      if (question?.answer != null && signal.aborted && (await store.questions.claim(id, 'delivery'))) await publishAnswered(id, 'message')
      return { status: 'pending', question_id: id }
    },

    answer: async (caller, address, message, questionId) => {
      const agents = await store.agents.list()
      const asker = resolveAddress(agents, address)
      const own = caller.kind === 'human' && asker.id === caller.agent.id
      if (!own) requireBelow(agents, caller, asker, 'answer')
      const open = await store.questions.open(asker.id)
      const question = questionId === undefined ? open[0] : open.find((candidate) => candidate.id === questionId)
      if (question === undefined) {
        throw new ExomonadError(
          'NO_PENDING_QUESTION',
          questionId === undefined
            ? `${asker.name} has no question open. To tell it something, use send.`
            : `${asker.name} has no open question ${questionId}${open.length > 0 ? `; open: ${open.map((other) => other.id).join(', ')}` : ''}.`,
          { agent: asker.id, open: open.map((other) => other.id) },
        )
      }
      if (asker.kind !== 'root') requireAlive(asker, 'answer')
      if (!(await store.questions.answer(question.id, message, actorOf(caller), clock()))) {
        throw new ExomonadError('NO_PENDING_QUESTION', `${question.id} was answered a moment ago.`, { question_id: question.id })
      }
      const waiter = waiters.get(question.id)
      if (waiter !== undefined) {
        waiter()
        return { status: 'delivered', question_id: question.id }
      }
      if (await store.questions.claim(question.id, 'delivery')) await publishAnswered(question.id, 'message')
      return { status: 'queued', question_id: question.id }
    },
  }
}
