import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Agent, AgentState, StateSource } from '../../../src/domain/records.ts'
import { createQuestions } from '../../../src/core/questions/questions.ts'
import { MOST_NOTES } from '../../../src/core/mail/notes.ts'
import { asPaneId, type AgentId } from '../../../src/domain/ids.ts'
import {
  asAgent,
  mailFolder,
  memberRow,
  openMailWorld,
  type MailWorld,
} from '../../helpers/mail-world.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { settingsOf } from '../../helpers/settings.ts'

/** When turns begin and end, and who is notified of it, over a real store. */

const DONE = JSON.stringify({ status: 'idle', success: true, summary: 'All is done.' })
const FAILED = JSON.stringify({ status: 'idle', success: false, error: 'There is no compiler.' })

let folder: ReturnType<typeof mailFolder>
let world: MailWorld
let lead: Agent
beforeEach(async () => {
  folder = mailFolder()
  world = await openMailWorld(folder.file)
  lead = memberRow('lead', null, { paneId: asPaneId('%1') })
  await world.store.agents.insert(lead)
})
afterEach(async () => {
  await world.die()
  folder.remove()
})

const member = async (name: string, facts: Partial<Agent> = {}): Promise<Agent> => {
  const agent = memberRow(name, lead, facts)
  await world.store.agents.insert(agent)
  return agent
}
const now = async ({ id }: { id: AgentId }) => (await world.store.agents.get(id))!
const stateOf = async (agent: Agent) => (await now(agent)).state
const published = async (type: string) => (await world.store.events.list({ types: [type] })).length

describe('a completion message', () => {
  it.each<[string, string, string, AgentState, AgentState]>([
    [
      'ends the task of a program that says nothing of its turns',
      'silent',
      DONE,
      'running',
      'idle',
    ],
    ['ends it where it gave up', 'silent', FAILED, 'running', 'idle'],
    ['ends it where its state was not known', 'silent', DONE, 'unknown', 'idle'],
    ['ends none of a program whose hooks report', 'hooked', DONE, 'running', 'running'],
    [
      'is no end where it is any other message',
      'silent',
      '{"status":"idle"}',
      'running',
      'running',
    ],
  ])('%s', async (_what, agentCli, message, before, after) => {
    const agent = await member('worker', { agentCli, state: before })
    await world.messages.send(asAgent(agent), 'lead', message)
    expect(await stateOf(agent)).toBe(after)
  })

  it('is none to somebody else than the parent', async () => {
    const agent = await member('worker', { agentCli: 'silent' })
    await member('other')
    await world.messages.send(asAgent(agent), 'other', DONE)
    expect(await stateOf(agent)).toBe('running')
  })

  it('lets a wait for its sender end, whoever has taken the message before', async () => {
    const agent = await member('worker', { agentCli: 'silent' })
    await world.messages.send(asAgent(agent), 'lead', DONE)
    await world.messages.checkMail(asAgent(lead), false)
    const wait = world.waiting.wait(
      asAgent(lead),
      { timeout: 1000, from: ['worker'] },
      { signal: new AbortController().signal },
    )
    expect(await wait).toMatchObject({ results: [{ status: 'idle' }] })
  })

  it.each<[string, () => Promise<unknown>, AgentState]>([
    [
      'its parent gives it',
      () => world.messages.send(asAgent(lead), 'worker', 'One more thing.'),
      'running',
    ],
    [
      'a person gives it',
      () => world.messages.send({ kind: 'human', agent: lead }, 'worker', 'One more thing.'),
      'running',
    ],
    [
      'another agent only mentions it',
      async () => world.messages.send(asAgent(await member('other')), 'worker', 'By the way.'),
      'idle',
    ],
  ])('is followed by what %s', async (_who, give, after) => {
    const agent = await member('worker', { agentCli: 'silent' })
    await world.messages.send(asAgent(agent), 'lead', DONE)
    await give()
    expect(await stateOf(agent)).toBe(after)
    await world.messages.send(asAgent(agent), 'lead', FAILED)
    expect(await now(agent)).toMatchObject({ state: 'idle', outcome: { success: false } })
  })

  it.each<[string, boolean, AgentState]>([
    ['works again when its wait brings something', true, 'running'],
    ['rests as before when its wait brings nothing', false, 'idle'],
  ])('of a program that then waits for more: it %s', async (_what, given, after) => {
    const agent = await member('worker', { agentCli: 'silent' })
    await world.messages.send(asAgent(agent), 'lead', DONE)
    const abort = new AbortController()
    const wait = world.waiting
      .wait(asAgent(await now(agent)), { timeout: 1000 }, { signal: abort.signal })
      .catch(() => undefined)
    await world.quiet()
    expect(await stateOf(agent)).toBe('waiting')
    if (given) await world.messages.send(asAgent(lead), 'worker', 'One more thing.')
    else abort.abort()
    await wait
    expect(await stateOf(agent)).toBe(after)
    // Once more: what it rests for is not forgotten by a wait.
    if (given) return
    await world.messages.send(asAgent(lead), 'worker', 'One more thing.')
    expect(await stateOf(agent)).toBe('running')
  })
})

describe('notes of one agent', () => {
  const reported = async () =>
    (await world.store.outbox.list({ recipient: lead.id, states: ['queued'] })).map(
      ({ text }) => text,
    )

  it('beyond sixty a minute are reported as one, with how many they were, when there is room again', async () => {
    await world.die()
    let time = 1_000_000
    world = await openMailWorld(folder.file, () => time)
    const [agent, other] = [await member('worker'), await member('other')]
    const say = async (count: number) => {
      for (let note = 1; note <= count; note++)
        await world.messages.note(asAgent(agent), `note ${note}`, { stopReason: note === 100 })
    }
    await say(MOST_NOTES + 40)
    await world.messages.note(asAgent(other), 'another’s')
    await world.notes.flush()
    expect(await reported()).toEqual([
      ...Array.from({ length: MOST_NOTES }, (_, index) => `[NOTE] worker: note ${index + 1}`),
      '[NOTE] other: another’s',
    ])
    // What it says beside that counts at once.
    expect(await now(agent)).toMatchObject({ stopReason: 'note 100' })
    time += 61_000
    await world.notes.flush()
    await world.notes.flush()
    await world.messages.note(asAgent(agent), 'later')
    expect((await reported()).slice(MOST_NOTES + 1)).toEqual([
      '[NOTE] worker: (40 notes, more than 60 a minute, as one; the last:) note 100',
      '[NOTE] worker: later',
    ])
    // Nor does the next one overtake it.
    time += 61_000
    await say(MOST_NOTES + 2)
    time += 61_000
    await world.messages.note(asAgent(agent), 'last')
    expect((await reported()).slice(-2)).toEqual([
      `[NOTE] worker: (2 notes, more than 60 a minute, as one; the last:) note ${MOST_NOTES + 2}`,
      '[NOTE] worker: last',
    ])
  })
})

describe('a turn that has ended', () => {
  it.each<[AgentState, StateSource, number]>([
    ['running', 'hook', 1],
    ['waiting', 'tool', 1],
    ['unknown', 'screen', 1],
    // A look at its program came first, and reported it.
    ['idle', 'session', 0],
    ['idle', 'screen', 0],
    // Its hook reports ends alone: this is another turn.
    ['idle', 'hook', 1],
  ])(
    'is reported once by its hook where it was known as %s by %s: %d more',
    async (state, stateSource, times) => {
      const agent = await member('worker', { state, stateSource })
      await world.hooks.stop(asAgent(agent))
      expect(await published('agent.idle')).toBe(times)
      expect(await now(agent)).toMatchObject({ state: 'idle' })
      await world.hooks.promptSubmit(asAgent(await now(agent)), {})
      await world.hooks.stop(asAgent(await now(agent)))
      expect(await published('agent.idle')).toBe(times + 1)
    },
  )
})

describe('a question that is answered before its asker is seen to wait', () => {
  /** `begin`: what marks the asker as waiting, once all answers are in. */
  const askAndAnswer = async (
    begin: () => Promise<() => Promise<void>>,
    signal = new AbortController().signal,
  ) => {
    const agent = await member('worker')
    const answers: Promise<string>[] = []
    const questions = createQuestions({
      ...{
        store: world.store,
        publisher: world.publisher,
        clock: Date.now,
        settings: settingsOf(() => configSchema.parse({ question: { timeout: 60 } })),
      },
      blockingCalls: { begin: () => Promise.all(answers).then(begin) },
    })
    world.publisher.onEvent(({ type, payload }) => {
      if (type !== 'question.asked') return
      answers.push(
        questions
          .answer(
            { kind: 'human', agent: lead },
            'worker',
            'Tabs.',
            payload['question_id'] as never,
          )
          .then(({ status }) => status),
      )
    })
    const result = await questions
      .question(asAgent(agent), 'Tabs or spaces?', 60, signal)
      .catch((thrown: Error) => thrown.message)
    const messages = await world.store.outbox.list({ recipient: agent.id, states: ['queued'] })
    return {
      result,
      answered: await Promise.all(answers),
      messages: messages.map(({ kind }) => kind),
    }
  }

  it('has its answer, and no message besides', async () => {
    const { result, answered, messages } = await askAndAnswer(async () => async () => {})
    expect(result).toMatchObject({ status: 'answered', answer: 'Tabs.' })
    expect(answered).toEqual(['delivered'])
    expect(messages).toEqual([])
  })

  it.each<[string, () => Promise<() => Promise<void>>, AbortSignal | undefined, unknown]>([
    [
      'has gone away',
      async () => async () => {},
      AbortSignal.abort(),
      expect.objectContaining({ status: 'pending' }),
    ],
    [
      'could not wait',
      () => Promise.reject(new Error('the disk is full')),
      undefined,
      expect.stringContaining('the disk is full'),
    ],
  ])('has it as a message where its asker %s', async (_what, begin, signal, expected) => {
    const { result, messages } = await askAndAnswer(begin, signal)
    expect(result).toEqual(expected)
    expect(messages).toEqual(['question.answered'])
  })
})

describe('older news of the same', () => {
  const queued = async () =>
    (await world.store.outbox.list({ recipient: lead.id, states: ['queued'] })).map(
      ({ text }) => text,
    )
  const facts = {
    number: 3,
    title: 'Work',
    url: 'local://pull/3',
    head: 'main.worker',
    base: 'main',
  }

  it('is not delivered where it still waits; that of another pull request is', async () => {
    const { id: agentId } = await member('worker')
    for (const reason of ['no review', 'no progress']) {
      await world.publisher.publish({
        type: 'pr.stalled',
        agentId,
        actor: 'daemon',
        payload: { ...facts, reason },
      })
    }
    await world.publisher.publish({
      type: 'pr.stalled',
      agentId,
      actor: 'daemon',
      payload: { ...facts, number: 4, url: 'local://pull/4', reason: 'another' },
    })
    expect(await queued()).toEqual([
      expect.stringContaining('no progress'),
      expect.stringContaining('another'),
    ])
  })

  it('of a red base is none once that is green', async () => {
    const red = { branch: 'main', sha: 'a'.repeat(40), since: [], log: '', log_url: null }
    await world.publisher.publish({
      type: 'base.red',
      agentId: lead.id,
      actor: 'daemon',
      payload: red,
    })
    expect(await queued()).toHaveLength(1)
    await world.publisher.publish({
      type: 'base.green',
      agentId: null,
      actor: 'daemon',
      payload: { branch: 'main', sha: 'b'.repeat(40) },
    })
    expect(await queued()).toEqual([])
  })
})
