import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '../../../src/domain/records.ts'
import type { WaitResult } from '../../../src/core/mail/agent-waits.ts'
import type { Caller } from '../../../src/domain/caller.ts'
import type { Receipt } from '../../../src/core/mail/receipt.ts'
import { asPaneId } from '../../../src/domain/ids.ts'
import {
  asAgent,
  mailFolder,
  memberRow,
  openMailWorld,
  type MailWorld,
} from '../../helpers/mail-world.ts'
import { verifies } from '../../requirements.ts'

let folder: ReturnType<typeof mailFolder>
let world: MailWorld
let lead: Agent
let one: Agent
let two: Agent
let three: Agent

beforeEach(async () => {
  folder = mailFolder()
  world = await openMailWorld(folder.file)
  lead = memberRow('lead', null, { paneId: asPaneId('%1') })
  one = memberRow('one', lead)
  two = memberRow('two', lead, { toolCalls: 7, tokens: 4200 })
  three = memberRow('three', one)
  for (const agent of [lead, one, two, three]) await world.store.agents.insert(agent)
})
afterEach(async () => {
  await world?.die()
  folder?.remove()
})

const person = (agent: Agent): Caller => ({ kind: 'human', agent })
const send = (from: Agent, to: Agent, message: string) =>
  world.messages.send(asAgent(from), to.id, message)
const idles = (agent: Agent) =>
  world.states.change(agent.id, { to: 'idle', source: 'hook', actor: agent.id })
const completion = (summary: string) => JSON.stringify({ status: 'idle', success: true, summary })
const kinds = async (id: Agent) =>
  (await world.store.outbox.list({ recipient: id.id, states: ['queued'] })).map(({ kind }) => kind)

/** A wait with a caller that is there for the answer. */
function wait(caller: Caller, from?: readonly string[], timeout = 1000) {
  const abort = new AbortController()
  const said: string[] = []
  const receipts: Receipt[] = []
  const call = {
    signal: abort.signal,
    progress: (words: string) => void said.push(words),
    receipt: (receipt: Receipt) => void receipts.push(receipt),
  }
  const result = world.waiting.wait(caller, { timeout, from }, call)
  let isOver = false
  const over = (): void => void (isOver = true)
  result.then(over, over)
  return { result, said, abort, receipts, isOver: () => isOver }
}
const statuses = (result: WaitResult) =>
  'results' in result
    ? result.results.map(({ name, status, message }) => [name, status, message])
    : result

describe('mail', () => {
  it('to one that ended since it was looked up is refused, and stands in no box', async () => {
    await world.states.change(two.id, { to: 'killed', source: 'human', actor: 'human' })
    // As it was when the sender looked it up.
    await expect(world.mailbox.send(one, two, 'too late')).rejects.toMatchObject({
      code: 'ALREADY_DEAD',
    })
    expect(await world.store.mail.peek(two.id)).toEqual([])
    expect(await kinds(two)).toEqual([])
  })
})

describe('a wait for anyone', () => {
  it('whose caller goes at the moment its message was taken gives it back, and takes nothing with it', async () => {
    const waiting = wait(asAgent(lead))
    await world.quiet()
    // Its channel speaks when mail comes, and again once that was taken: there the caller goes,
    // while its answer is on the way.
    let spoken = 0
    const stop = world.store.subscribe(lead.id, () => {
      spoken += 1
      if (spoken === 2) waiting.abort.abort(new Error('the client went away'))
    })
    await send(one, lead, 'precious')
    await expect(waiting.result).rejects.toMatchObject({ code: 'NOT_AVAILABLE' })
    expect([spoken >= 2, waiting.receipts]).toEqual([true, []])
    stop()
    await world.quiet()
    expect((await world.store.mail.peek(lead.id)).map(({ message }) => message)).toEqual([
      'precious',
    ])
    expect(await wait(asAgent(lead), undefined, 0).result).toMatchObject({ message: 'precious' })
  })

  it(
    verifies('R000-07', 'returns the oldest message of anyone, and leaves the others'),
    async () => {
      await send(two, lead, 'first')
      await send(one, lead, 'second')
      expect(await wait(asAgent(lead)).result).toEqual({
        from: two.id,
        name: 'two',
        message: 'first',
      })
      expect(await wait(asAgent(lead)).result).toEqual({
        from: one.id,
        name: 'one',
        message: 'second',
      })
    },
  )

  it(verifies('R000-07', 'of 0 seconds looks once, and does not hold up the agent'), async () => {
    expect(await wait(asAgent(lead), undefined, 0).result).toEqual({ status: 'timeout' })
    expect(await world.store.events.list({ types: ['agent.state'] })).toEqual([])
    await send(one, lead, 'there')
    expect(await wait(asAgent(lead), undefined, 0).result).toMatchObject({ message: 'there' })
  })

  it('leaves its agent as it was when the wait began, also where the caller was looked up before that', async () => {
    const caller = asAgent(two)
    await idles(two)
    const own = wait(caller, ['one'])
    await world.quiet()
    const others = wait(asAgent(lead), ['two'])
    await world.quiet()
    expect(others.isOver()).toBe(false)
    expect(await world.store.agents.get(two.id)).toMatchObject({ state: 'waiting' })
    await send(one, two, 'done')
    await own.result
    expect(await world.store.agents.get(two.id)).toMatchObject({ state: 'idle', stateReason: null })
    await world.ackAll(two.id)
    expect(statuses(await others.result)).toEqual([['two', 'idle', undefined]])
  })

  it('that finds nothing in its time says so', async () => {
    expect(await wait(asAgent(lead), undefined, 0.02).result).toEqual({ status: 'timeout' })
    expect(await world.store.agents.get(lead.id)).toMatchObject({
      state: 'running',
      stateReason: null,
    })
  })

  it(
    verifies(
      'R000-13',
      'is woken by its mail, shows that it waits until then, and is notified of no mail that it takes',
    ),
    async () => {
      const waiting = wait(asAgent(lead))
      await world.quiet()
      expect(waiting.said).toEqual(['Waiting for mail'])
      expect(await world.store.agents.get(lead.id)).toMatchObject({
        state: 'waiting',
        stateReason: 'wait',
        stateSource: 'tool',
      })
      await send(one, lead, 'here')
      expect(await waiting.result).toMatchObject({ name: 'one', message: 'here' })
      expect(await world.store.agents.get(lead.id)).toMatchObject({
        state: 'running',
        stateReason: null,
      })
      expect(await kinds(lead)).toEqual([])
    },
  )

  it('gives each of several at once one message, in order', async () => {
    const waits = Array.from({ length: 20 }, () => wait(asAgent(lead)))
    await world.quiet()
    for (let index = 0; index < 20; index++) await send(one, lead, String(index))
    const got = await Promise.all(waits.map(({ result }) => result))
    expect(
      got
        .map((result) => ('message' in result ? Number(result.message) : -1))
        .toSorted((left, right) => left - right),
    ).toEqual(Array.from({ length: 20 }, (_, index) => index))
    expect(await world.store.agents.get(lead.id)).toMatchObject({ state: 'running' })
  })

  it('leaves what it did not take to be reported, once', async () => {
    const waiting = wait(asAgent(lead))
    await world.quiet()
    await Promise.all([send(one, lead, 'a'), send(two, lead, 'b'), send(one, lead, 'c')])
    expect(await waiting.result).toMatchObject({ message: 'a' })
    await world.quiet()
    expect(await kinds(lead)).toEqual(['mail'])
    // Taken before the line was handed over: nothing is left to be reported.
    await world.messages.checkMail(asAgent(lead), false)
    expect(await kinds(lead)).toEqual([])
  })
})

describe('a wait for several', () => {
  it(
    verifies(
      'R000-08',
      'answers for each, in the order asked and each once, with the oldest message of each',
    ),
    async () => {
      await send(two, lead, 'two, first')
      await send(two, lead, 'two, second')
      await send(one, lead, 'one')
      await world.states.change(three.id, { to: 'killed', source: 'human', actor: 'human' })
      const { result } = await wait(asAgent(lead), [
        three.id,
        'two',
        one.id,
        two.id,
        'main.one',
      ]).result.then((found) => ({ result: found }))
      expect(statuses(result)).toEqual([
        ['three', 'dead', undefined],
        ['two', 'received', 'two, first'],
        ['one', 'received', 'one'],
      ])
      expect((await world.store.mail.peek(lead.id)).map(({ message }) => message)).toEqual([
        'two, second',
      ])
    },
  )

  it(
    verifies('R000-09', 'takes nothing before it is over, and ends when the last of them idles'),
    async () => {
      const waiting = wait(asAgent(lead), ['one', 'two', 'three'])
      await world.quiet()
      await send(one, lead, 'done')
      await world.kill(person(lead), 'three')
      await world.quiet()
      expect(waiting.isOver()).toBe(false)
      expect(world.openWaits.of(lead.id)).toEqual([one.id, two.id, three.id])
      expect(await world.store.mail.peek(lead.id)).toHaveLength(1)
      await idles(two)
      expect(statuses(await waiting.result)).toEqual([
        ['one', 'received', 'done'],
        ['two', 'idle', undefined],
        ['three', 'dead', undefined],
      ])
      expect(await world.store.mail.peek(lead.id)).toEqual([])
      expect(world.openWaits.of(lead.id)).toBeNull()
      expect(waiting.said).toEqual([
        '0 of 3 have answered; running: one, two, three',
        '1 of 3 have answered; received: one; running: two, three',
        '1 of 3 have answered; received: one; running: two; dead: three',
        '1 of 3 have answered; received: one; idle: two; dead: three',
      ])
    },
  )

  it(verifies('R000-09', 'returns a part when its time is up'), async () => {
    await send(one, lead, 'done')
    await idles(three)
    expect(statuses(await wait(asAgent(lead), ['one', 'two', 'three'], 0.05).result)).toEqual([
      ['one', 'received', 'done'],
      ['two', 'running', undefined],
      ['three', 'idle', undefined],
    ])
    expect(statuses(await wait(asAgent(lead), ['one', 'two'], 0).result)).toEqual([
      ['one', 'running', undefined],
      ['two', 'running', undefined],
    ])
  })

  it(
    verifies(
      'R000-08',
      'takes one for running that idles with mail of the one who waits, or with a message on its way',
    ),
    async () => {
      await idles(one)
      await send(lead, one, 'more work')
      const waiting = wait(asAgent(lead), ['one'])
      await world.quiet()
      expect(waiting.isOver()).toBe(false)
      // It is handed the line that reports the mail, and reads the mail.
      await world.ackAll(one.id)
      await world.quiet()
      expect(waiting.isOver()).toBe(false)
      await world.messages.checkMail(asAgent(one), false)
      expect(statuses(await waiting.result)).toEqual([['one', 'idle', undefined]])

      await world.messages.send(person(lead), 'one', 'and this, says a person')
      const another = wait(asAgent(lead), ['one'])
      await world.quiet()
      expect(another.isOver()).toBe(false)
      await world.ackAll(one.id)
      expect(statuses(await another.result)).toEqual([['one', 'idle', undefined]])
    },
  )

  it('takes one for idle whose program is stopped, whatever waits for it', async () => {
    await idles(one)
    await send(lead, one, 'more work')
    const waiting = wait(asAgent(lead), ['one'])
    await world.quiet()
    expect(waiting.isOver()).toBe(false)
    await world.states.change(one.id, {
      to: 'idle',
      reason: 'stopped',
      source: 'human',
      actor: 'human',
    })
    expect(statuses(await waiting.result)).toEqual([['one', 'idle', undefined]])
    await world.store.agents.update(one.id, { stateReason: null, runtime: 'pane', paneId: null })
    expect(statuses(await wait(asAgent(lead), ['one']).result)).toEqual([
      ['one', 'idle', undefined],
    ])
  })

  it('leaves the mail of others in the box, and has it reported afterwards', async () => {
    const waiting = wait(asAgent(lead), ['one'])
    await world.quiet()
    await send(two, lead, 'by the way')
    expect(await kinds(lead)).toEqual(['mail'])
    await send(one, lead, 'done')
    await send(one, lead, 'one more thing')
    expect(statuses(await waiting.result)).toEqual([['one', 'received', 'done']])
    expect((await world.store.mail.peek(lead.id)).map(({ message }) => message)).toEqual([
      'by the way',
      'one more thing',
    ])
    expect(await kinds(lead)).toEqual(['mail'])
  })

  it('shows how it stands, with what each has used, and takes nothing', async () => {
    await send(one, lead, 'done')
    expect(await world.waiting.standing(asAgent(lead), ['two', 'one'])).toEqual({
      results: [
        { agent_id: two.id, name: 'two', status: 'running', tool_calls: 7, tokens: 4200 },
        { agent_id: one.id, name: 'one', status: 'received', tool_calls: 0, tokens: 0 },
      ],
    })
    expect(await world.store.mail.peek(lead.id)).toHaveLength(1)
  })

  it.each([
    ['nobody', [] as string[], 'INVALID_ARG', /names nobody/],
    ['itself', ['one', 'lead'], 'INVALID_ARG', /"lead" is lead itself/],
    ['an unknown one', ['nemo'], 'AGENT_NOT_FOUND', /^Agent not found: "nemo"/],
    ['an empty name', [''], 'AGENT_NOT_FOUND', /^Agent not found: ""/],
  ])('for %s is refused at once', async (_, from, code, words) => {
    await expect(wait(asAgent(lead), from, 0).result).rejects.toMatchObject({
      code,
      message: expect.stringMatching(words) as string,
    })
    await expect(world.waiting.standing(asAgent(lead), from)).rejects.toMatchObject({ code })
  })

  it('for one of several of that name is refused, unless only one of them lives', async () => {
    const other = memberRow('two', one, { branch: three.branch })
    await world.store.agents.insert(other)
    await expect(wait(asAgent(lead), ['two'], 0).result).rejects.toMatchObject({
      code: 'AMBIGUOUS_ID',
      facts: { matches: [{ id: two.id }, { id: other.id }] },
    })
    await world.kill(person(lead), two.id)
    expect(statuses(await wait(asAgent(lead), ['two'], 0).result)).toEqual([
      ['two', 'running', undefined],
    ])
  })
})

describe('a completion message', () => {
  const failure = JSON.stringify({ status: 'idle', success: false, error: 'no disk' })

  it.each([
    ['a wait for anyone', () => wait(asAgent(lead), undefined, 0).result],
    ['a wait for several', () => wait(asAgent(lead), ['one'], 0).result],
    ['check_mail', () => world.messages.checkMail(asAgent(lead), false)],
  ])('that %s took before it was reported is not reported besides', async (_, taken) => {
    await send(one, lead, completion('done'))
    await send(two, lead, failure)
    await send(one, lead, 'and more')
    expect(await kinds(lead)).toEqual(['agent.completed', 'agent.failed', 'mail'])
    expect(JSON.stringify(await taken())).toContain('done')
    const left = (await world.store.mail.peek(lead.id)).map(({ message }) => message)
    expect(await kinds(lead)).toEqual(left.length === 0 ? [] : ['agent.failed', 'mail'])
    await world.messages.checkMail(asAgent(lead), false)
    expect(await kinds(lead)).toEqual([])
    // A failure concerns people as well.
    expect(
      (await world.store.outbox.list({ recipient: 'human', states: ['queued'] })).map(
        ({ kind }) => kind,
      ),
    ).toEqual(['agent.failed'])
  })

  it('that was taken is reported when it is given back, also where another wait is open that may never take it', async () => {
    await send(one, lead, completion('done'))
    const lost = wait(asAgent(lead), undefined, 0)
    await lost.result
    const next = wait(asAgent(lead), ['one', 'two'])
    await world.quiet()
    for (const receipt of lost.receipts) await receipt.giveBack()
    next.abort.abort()
    await expect(next.result).rejects.toMatchObject({ code: 'NOT_AVAILABLE' })
    expect(await kinds(lead)).toEqual(['mail'])
    expect(await wait(asAgent(lead), undefined, 0).result).toMatchObject({
      message: completion('done'),
    })
    expect(await kinds(lead)).toEqual([])
  })

  it('that an open wait will take is reported nowhere else; where that ends without it, by a line', async () => {
    const waiting = wait(asAgent(lead), ['one', 'two'])
    await world.quiet()
    await send(one, lead, completion('done'))
    expect(await kinds(lead)).toEqual([])
    await send(two, lead, completion('done as well'))
    expect(statuses(await waiting.result)).toHaveLength(2)
    expect(await kinds(lead)).toEqual([])

    const given = wait(asAgent(lead), ['one', 'two'])
    await world.quiet()
    await send(one, lead, completion('again'))
    given.abort.abort()
    await expect(given.result).rejects.toMatchObject({ code: 'NOT_AVAILABLE' })
    expect(await kinds(lead)).toEqual(['mail'])
    await world.messages.checkMail(asAgent(lead), false)

    void wait(asAgent(lead), ['one', 'two'])
    await world.quiet()
    await send(one, lead, completion('and again'))
    await world.die()
    world = await openMailWorld(folder.file)
    await world.recover()
    expect(await kinds(lead)).toEqual(['mail'])
  })

  it('that was handed over stays as it is', async () => {
    await send(one, lead, completion('done'))
    await world.ackAll(lead.id)
    expect(await wait(asAgent(lead), ['one'], 0).result).toMatchObject({
      results: [{ status: 'received' }],
    })
    expect(await world.store.outbox.list({ recipient: lead.id })).toMatchObject([
      { kind: 'agent.completed', state: 'acked', why: null },
    ])
  })
})

describe('the end of a wait', () => {
  it.each([
    ['anyone', undefined],
    ['several', ['one', 'two']],
  ])('for %s comes with that of its agent', async (_, from) => {
    const waiting = wait(asAgent(three), from)
    await world.quiet()
    await world.kill(person(lead), 'three')
    await expect(waiting.result).rejects.toMatchObject({
      code: 'ALREADY_DEAD',
      message: 'three has been killed: it waits for nothing more. Its mail stays in its box.',
    })
    await expect(wait(asAgent(three), from).result).rejects.toMatchObject({ code: 'ALREADY_DEAD' })
  })

  it('comes with that of its caller, and takes nothing', async () => {
    const waiting = wait(asAgent(lead), ['one', 'two'])
    await world.quiet()
    await send(one, lead, 'done')
    expect(await kinds(lead)).toEqual([])
    waiting.abort.abort()
    await expect(waiting.result).rejects.toMatchObject({ code: 'NOT_AVAILABLE' })
    expect(await world.store.mail.peek(lead.id)).toHaveLength(1)
    expect(await kinds(lead)).toEqual(['mail'])
    expect(await world.store.agents.get(lead.id)).toMatchObject({ state: 'running' })
  })

  it('that did not reach its caller puts the mail back at its place, and another wait takes it', async () => {
    const waiting = wait(asAgent(lead))
    await world.quiet()
    await send(one, lead, 'first')
    await waiting.result
    await send(two, lead, 'second')
    for (const receipt of waiting.receipts) await receipt.giveBack()
    expect(await wait(asAgent(lead)).result).toMatchObject({ message: 'first' })
    expect(await wait(asAgent(lead)).result).toMatchObject({ message: 'second' })

    await send(one, lead, 'third')
    const lost = wait(asAgent(lead))
    await lost.result
    const next = wait(asAgent(lead))
    await world.quiet()
    for (const receipt of lost.receipts) await receipt.giveBack()
    expect(await next.result).toMatchObject({ message: 'third' })
  })

  it('comes after a restart for agents that were in a call then', async () => {
    void wait(asAgent(lead))
    void wait(asAgent(one))
    await world.quiet()
    // Its program went with the restart.
    await world.store.agents.update(one.id, { paneId: null })
    await world.die()
    world = await openMailWorld(folder.file)
    for (const agent of [lead, one])
      await world.settleCutOff((await world.store.agents.get(agent.id)) ?? agent)
    expect(await world.store.agents.get(lead.id)).toMatchObject({
      state: 'running',
      stateReason: 'its call was cut off by a restart',
    })
    expect(await world.store.agents.get(one.id)).toMatchObject({ state: 'idle' })
  })
})

describe('a person’s wait', () => {
  it.each<[string, (agent: Agent) => Caller]>([
    ['beside an agent', person],
    ['as an agent', (agent) => ({ kind: 'agent', agent, actedBy: 'person' })],
  ])('%s changes no state, and is kept for people to read', async (_, person) => {
    const waiting = wait(person(one))
    await world.quiet()
    expect(await world.store.agents.get(one.id)).toMatchObject({ state: 'running' })
    await send(two, one, 'hello')
    expect(await waiting.result).toEqual({ from: two.id, name: 'two', message: 'hello' })
    await wait(person(one), ['lead', 'two'], 0).result
    await wait(person(one), undefined, 0).result
    expect(world.shown).toEqual([
      'two: hello',
      'lead: running\ntwo: running',
      'No message came within 0 s.',
    ])
  })

  it('for a root without a program gets what would else go to the inbox', async () => {
    await world.store.agents.update(lead.id, { paneId: null, runtime: 'pane' })
    const waiting = wait(person(lead))
    await world.quiet()
    await send(one, lead, 'to whom it may concern')
    expect(await waiting.result).toMatchObject({ message: 'to whom it may concern' })
    await send(one, lead, 'later')
    expect(
      (await world.store.outbox.list({ recipient: 'human', states: ['queued'] })).map(
        ({ text }) => text,
      ),
    ).toEqual([expect.stringContaining('later')])
  })
})

describe('a thousand waits', () => {
  it(
    verifies(
      'R000-13',
      'ask nothing of the store while nothing happens, and all return when something does',
    ),
    async () => {
      const crowd = Array.from({ length: 1000 }, (_, index) => memberRow(`waiter-${index}`, lead))
      await world.store.transaction(async (tx) => {
        for (const agent of crowd) await tx.agents.insert(agent)
      })
      const waits = crowd.map((agent, index) =>
        wait(asAgent(agent), index % 2 === 0 ? undefined : ['lead']),
      )
      await world.quiet()
      const before = world.calls()
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(world.calls()).toBe(before)

      // One message wakes one of them, whoever else waits.
      await send(lead, crowd[10] as Agent, 'you')
      await world.quiet()
      expect(waits.filter(({ isOver }) => isOver())).toHaveLength(1)
      expect(world.calls() - before).toBeLessThan(100)

      for (const agent of crowd) await send(lead, agent, 'go')
      const results = await Promise.all(waits.map(({ result }) => result))
      expect(
        results.map((result) =>
          'results' in result
            ? result.results[0]?.message
            : 'message' in result
              ? result.message
              : '',
        ),
      ).toEqual(crowd.map((_, index) => (index === 10 ? 'you' : 'go')))
    },
    60_000,
  )

  it(
    verifies(
      'R000-09',
      'of two hundred children are gathered without looking at all of them for each',
    ),
    async () => {
      const children = Array.from({ length: 200 }, (_, index) => memberRow(`child-${index}`, lead))
      for (const agent of children) await world.store.agents.insert(agent)
      const waiting = wait(
        asAgent(lead),
        children.map(({ id }) => id),
      )
      await world.quiet()
      const before = world.calls()
      for (const child of children) await send(child, lead, `from ${child.name}`)
      expect(statuses(await waiting.result)).toEqual(
        children.map(({ name }) => [name, 'received', `from ${name}`]),
      )
      // A handful for each message: sent, noticed, taken.
      expect(world.calls() - before).toBeLessThan(children.length * 15)
    },
    60_000,
  )
})
