import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../src/domain/records.ts'
import type { WaitResult } from '../../../src/core/mail/agent-waits.ts'
import type { Receipt } from '../../../src/core/mail/receipt.ts'
import { asPaneId } from '../../../src/domain/ids.ts'
import {
  asAgent,
  type MailPlace,
  memberRow,
  openMailWorld,
  type MailWorld,
} from '../../helpers/mail-world.ts'
import { storeKinds } from '../../helpers/store-places.ts'
import { verifies } from '../../requirements.ts'

/**
 * Mail against a model as simple as can be: an array for each mailbox. Agents send, wait in both
 * ways, take their mail or only look, end, idle and work; callers vanish before or after they were
 * answered; the daemon is killed and starts again over the same file. A root without a program has
 * the human’s inbox as a second way to the same mail.
 */

const NAMES = ['lead', 'one', 'two', 'three'] as const
type Name = (typeof NAMES)[number]

type Step =
  | { do: 'send'; from: Name; to: Name }
  | { do: 'wait'; who: Name; from: readonly Name[] | null; once: boolean; arrives: boolean }
  | { do: 'take'; who: Name; arrives: boolean }
  | { do: 'peek'; who: Name }
  | { do: 'inbox'; clear: boolean; arrives: boolean }
  | { do: 'vanish'; who: Name }
  | { do: 'kill'; who: Name }
  | { do: 'state'; who: Name; to: 'idle' | 'running' }
  | { do: 'ack'; who: Name }
  | { do: 'restart' }

const name = fc.constantFrom(...NAMES)
const often = fc.integer({ min: 0, max: 5 }).map((draw) => draw > 0)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('send' as const), from: name, to: name }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      who: name,
      from: fc.option(fc.array(name, { minLength: 1, maxLength: 4 }), { nil: null }),
      once: fc.integer({ min: 0, max: 3 }).map((draw) => draw === 0),
      arrives: often,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('take' as const), who: name, arrives: often }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('peek' as const), who: name }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('inbox' as const),
      clear: fc.boolean(),
      arrives: often,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('vanish' as const), who: name }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('kill' as const),
      who: fc.constantFrom<Name>('one', 'two', 'three'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('state' as const),
      who: name,
      to: fc.constantFrom('idle' as const, 'running' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ack' as const), who: name }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
)

interface Letter {
  readonly from: Name
  readonly text: string
}
/** What a call answered, in names. */
type Answer =
  | { kind: 'letter'; letter: Letter }
  | { kind: 'timeout' }
  | { kind: 'all'; results: { name: Name; status: string; text?: string }[] }
  | { kind: 'error'; code: string }

/**
 * A wait that is open: of the one who waits, for whom, and whether its caller will be there for the
 * answer.
 */
interface OpenWait {
  readonly from: readonly Name[] | null
  readonly arrives: boolean
  readonly abort: AbortController
  readonly answer: Promise<Answer>
}

/** Three agents below a root, in a line: killing `one` ends `two` as well. */
async function populate(world: MailWorld, manned = true): Promise<Record<Name, Agent>> {
  const lead = memberRow('lead', null, manned ? { paneId: asPaneId('%1') } : {})
  const one = memberRow('one', lead)
  const two = memberRow('two', one)
  const three = memberRow('three', lead)
  for (const agent of [lead, one, two, three]) await world.store.agents.insert(agent)
  return { lead, one, two, three }
}
const BELOW: Record<Name, readonly Name[]> = {
  lead: [],
  one: ['one', 'two'],
  two: ['two'],
  three: ['three'],
}

async function play(folder: MailPlace, steps: readonly Step[], manned: boolean): Promise<void> {
  let world = await openMailWorld(folder.file)
  try {
    const agents = await populate(world, manned)
    const nameOf = new Map(NAMES.map((each) => [agents[each].id, each]))
    // The model.
    const boxes: Record<Name, Letter[]> = { lead: [], one: [], two: [], three: [] }
    const idle = new Set<Name>()
    const dead = new Set<Name>()
    const waits = new Map<Name, OpenWait>()
    let count = 0

    const standing = async (of: Name, to: Name): Promise<string> => {
      if (boxes[to].some(({ from }) => from === of)) return 'received'
      if (dead.has(of)) return 'dead'
      if (!manned && of === 'lead' && idle.has(of) && !waits.has(of)) return 'idle'
      if (!idle.has(of) || waits.has(of) || boxes[of].some(({ from }) => from === to))
        return 'running'
      // What is on its way to it is the outbox’s business; what is only carried along is not.
      const coming = await world.store.outbox.list({
        recipient: agents[of].id,
        states: ['queued', 'sent'],
      })
      return coming.some(({ state, reach }) => state === 'sent' || reach === 'wake')
        ? 'running'
        : 'idle'
    }
    /** What a call for mail returns now; undefined where it goes on waiting. Takes nothing. */
    const predict = async (
      who: Name,
      from: readonly Name[] | null,
      last: boolean,
    ): Promise<{ answer: Answer; taken: Letter[] } | undefined> => {
      if (from?.includes(who) === true)
        return { answer: { kind: 'error', code: 'INVALID_ARG' }, taken: [] }
      if (dead.has(who)) return { answer: { kind: 'error', code: 'ALREADY_DEAD' }, taken: [] }
      if (from === null) {
        const [letter] = boxes[who]
        if (letter !== undefined) return { answer: { kind: 'letter', letter }, taken: [letter] }
        return last ? { answer: { kind: 'timeout' }, taken: [] } : undefined
      }
      const taken: Letter[] = []
      const results: { name: Name; status: string; text?: string }[] = []
      for (const each of new Set(from)) {
        const status = await standing(each, who)
        const letter = boxes[who].find((candidate) => candidate.from === each)
        if (letter !== undefined) taken.push(letter)
        results.push({ name: each, status, ...(letter === undefined ? {} : { text: letter.text }) })
      }
      return last || results.every(({ status }) => status !== 'running')
        ? { answer: { kind: 'all', results }, taken }
        : undefined
    }
    const asAnswer = (result: WaitResult): Answer => {
      if ('results' in result) {
        return {
          kind: 'all',
          results: result.results.map(({ agent_id: id, status, message }) => ({
            name: nameOf.get(id) ?? 'lead',
            status,
            ...(message === undefined ? {} : { text: message }),
          })),
        }
      }
      return 'status' in result
        ? { kind: 'timeout' }
        : {
            kind: 'letter',
            letter: { from: nameOf.get(result.from) ?? 'lead', text: result.message },
          }
    }
    const settle = (receipts: readonly Receipt[], arrives: boolean) =>
      Promise.all(receipts.map((receipt) => (arrives ? receipt.confirm() : receipt.giveBack())))

    const call = (
      who: Name,
      from: readonly Name[] | null,
      timeout: number,
      arrives: boolean,
    ): OpenWait => {
      const abort = new AbortController()
      const receipts: Receipt[] = []
      const input = {
        timeout,
        ...(from === null ? {} : { from: from.map((each) => agents[each].id) }),
      }
      const answer = world.waiting
        .wait(asAgent(agents[who]), input, {
          signal: abort.signal,
          receipt: (receipt) => receipts.push(receipt),
        })
        .then(asAnswer, (error: { code: string }): Answer => ({ kind: 'error', code: error.code }))
        .then(async (answered) => {
          await settle(receipts, arrives)
          return answered
        })
      return { from, arrives, abort, answer }
    }
    const expectAnswer = async (
      who: Name,
      wait: OpenWait,
      predicted: { answer: Answer; taken: Letter[] },
    ): Promise<void> => {
      waits.delete(who)
      expect(await wait.answer).toEqual(predicted.answer)
      if (wait.arrives)
        boxes[who] = boxes[who].filter((letter) => !predicted.taken.includes(letter))
    }
    /**
     * Every wait that has to be over is, with what it has to answer; the others are open. One that
     * ends may let others end.
     */
    const pump = async (): Promise<void> => {
      for (let changed = true; changed;) {
        changed = false
        await world.quiet()
        for (const [who, wait] of waits) {
          const predicted = await predict(who, wait.from, false)
          if (predicted === undefined) continue
          await expectAnswer(who, wait, predicted)
          changed = true
        }
      }
    }
    const open = new Map<OpenWait, boolean>()
    /**
     * Texts that stand in the inbox of a root without a program: all of its mail that no open wait
     * of its own takes.
     */
    let inboxed = new Set<string>()
    const expectInboxed = async (): Promise<void> => {
      const wait = waits.get('lead')
      const rows = await world.store.outbox.list({ recipient: 'human', states: ['queued'] })
      const texts = rows.map(({ text }) => /letter \d+/.exec(text)?.[0] ?? text)
      inboxed = new Set(texts)
      expect(texts, 'a letter is shown once').toHaveLength(inboxed.size)
      const box = boxes.lead.map(({ text }) => text)
      expect(
        texts.filter((text) => !box.includes(text)),
        'what was taken is not shown',
      ).toEqual([])
      const left = boxes.lead.filter(
        ({ from }) => wait === undefined || (wait.from !== null && !wait.from.includes(from)),
      )
      for (const { text } of left) expect(texts).toContain(text)
    }
    const act = async (now: Step): Promise<void> => {
      switch (now.do) {
        case 'send': {
          const text = `letter ${count++}`
          const refusal = dead.has(now.to)
            ? 'ALREADY_DEAD'
            : now.from === now.to
              ? 'INVALID_ARG'
              : undefined
          if (dead.has(now.from)) return
          const sent = world.messages.send(asAgent(agents[now.from]), now.to, text).then(
            () => undefined,
            (error: { code: string }) => error.code,
          )
          expect(await sent).toBe(refusal)
          if (refusal === undefined) boxes[now.to].push({ from: now.from, text })
          return
        }
        case 'wait': {
          // One at a time for each agent: which of two would be quicker is nobody's promise.
          if (waits.has(now.who)) return
          if (now.once) {
            const predicted = await predict(now.who, now.from, true)
            if (predicted === undefined) throw new Error('a look always answers')
            await expectAnswer(now.who, call(now.who, now.from, 0, now.arrives), predicted)
            return
          }
          const wait = call(now.who, now.from, 1000, now.arrives)
          waits.set(now.who, wait)
          void wait.answer.then(() => open.set(wait, false))
          return
        }
        case 'take': {
          if (dead.has(now.who)) return
          const receipts: Receipt[] = []
          const { messages } = await world.messages.checkMail(
            asAgent(agents[now.who]),
            false,
            (receipt) => receipts.push(receipt),
          )
          expect(messages.map(({ name: from, message }) => ({ from, text: message }))).toEqual(
            boxes[now.who],
          )
          if (now.arrives) boxes[now.who] = []
          await settle(receipts, now.arrives)
          return
        }
        case 'peek': {
          const { messages } = await world.messages.checkMail(asAgent(agents[now.who]), true)
          expect(messages.map(({ name: from, message }) => ({ from, text: message }))).toEqual(
            boxes[now.who],
          )
          return
        }
        case 'inbox': {
          if (manned) return
          const receipts: Receipt[] = []
          const seen = boxes.lead.filter(({ text }) => inboxed.has(text))
          const { messages } = await world.messages.inbox({ clear: now.clear }, (receipt) =>
            receipts.push(receipt),
          )
          expect(messages.map(({ text }) => /letter \d+/.exec(text)?.[0]).toSorted()).toEqual(
            seen.map(({ text }) => text).toSorted(),
          )
          if (now.clear && now.arrives)
            boxes.lead = boxes.lead.filter((letter) => !seen.includes(letter))
          await settle(receipts, now.arrives)
          return
        }
        case 'vanish': {
          const wait = waits.get(now.who)
          if (wait === undefined) return
          waits.delete(now.who)
          wait.abort.abort()
          expect(await wait.answer).toEqual({ kind: 'error', code: 'NOT_AVAILABLE' })
          return
        }
        case 'kill': {
          const doomed = BELOW[now.who].filter((each) => !dead.has(each))
          const killed = world.kill({ kind: 'human', agent: agents.lead }, now.who).then(
            (result) => result.killed.map((id) => nameOf.get(id)).toSorted(),
            (error: { code: string }) => error.code,
          )
          expect(await killed).toEqual(dead.has(now.who) ? 'ALREADY_DEAD' : doomed.toSorted())
          if (!dead.has(now.who)) for (const each of doomed) dead.add(each)
          return
        }
        case 'state':
          // While it waits, its state is that it waits.
          if (dead.has(now.who) || waits.has(now.who)) return
          await world.states.change(agents[now.who].id, {
            to: now.to,
            source: 'hook',
            actor: agents[now.who].id,
          })
          if (now.to === 'idle') idle.add(now.who)
          else idle.delete(now.who)
          return
        case 'ack':
          return world.ackAll(agents[now.who].id)
        case 'restart': {
          // Callers are cut off with it, and nothing that was handed over and not confirmed counts.
          await world.die()
          // The programs of those who waited work on.
          for (const who of waits.keys()) if (manned || who !== 'lead') idle.delete(who)
          if (!manned && waits.has('lead')) idle.add('lead')
          waits.clear()
          world = await openMailWorld(folder.file)
          for (const each of NAMES) {
            const agent = await world.store.agents.get(agents[each].id)
            if (agent?.state === 'waiting') await world.settleCutOff(agent)
          }
          await world.recover()
          return
        }
      }
    }

    for (const now of steps) {
      await act(now)
      await pump()
      for (const wait of waits.values())
        expect(open.get(wait), 'a wait ended that had nothing to end it').not.toBe(false)
      await expectNotified(world, agents, boxes, waits, dead, manned)
      if (!manned) await expectInboxed()
      for (const [who, wait] of waits) {
        const { state, stateReason } = (await world.store.agents.get(agents[who].id)) ?? {}
        expect([state, stateReason]).toEqual(['waiting', 'wait'])
        expect(world.openWaits.of(agents[who].id)).toEqual(
          wait.from === null ? null : [...new Set(wait.from)].map((each) => agents[each].id),
        )
      }
    }
    for (const each of NAMES)
      expect((await world.store.mail.peek(agents[each].id)).map(({ message }) => message)).toEqual(
        boxes[each].map(({ text }) => text),
      )
  } finally {
    await world.die()
    await folder.remove()
  }
}

/**
 * Whoever lives and has mail that no open wait of its own takes was notified of it; nobody is
 * notified of mail that was taken.
 */
async function expectNotified(
  world: MailWorld,
  agents: Record<Name, Agent>,
  boxes: Record<Name, Letter[]>,
  waits: ReadonlyMap<Name, OpenWait>,
  dead: ReadonlySet<Name>,
  manned: boolean,
): Promise<void> {
  for (const each of NAMES.filter((one) => manned || one !== 'lead')) {
    const wait = waits.get(each)
    const left = boxes[each].filter(
      ({ from }) => wait === undefined || (wait.from !== null && !wait.from.includes(from)),
    )
    const notified =
      (await world.store.snapshots.get(`mail-notice:${agents[each].id}`)) !== undefined
    const lines = (
      await world.store.outbox.list({ recipient: agents[each].id, states: ['queued'] })
    ).filter(({ kind }) => kind === 'mail')
    if (left.length > 0 && !dead.has(each))
      expect(notified, `${each} was notified of its mail`).toBe(true)
    if (boxes[each].length === 0)
      expect(lines, `a line that notifies ${each} of mail that was taken`).toEqual([])
    expect(lines.length, 'lines for one batch').toBeLessThanOrEqual(1)
  }
}

/** How often each letter arrived is known, but for those whose fate a kill hid. */
async function crowd(
  folder: MailPlace,
  letters: number,
  ticks: readonly number[],
  draws: readonly number[],
): Promise<void> {
  let world = await openMailWorld(folder.file)
  try {
    const agents = await populate(world)
    const accepted = new Set<string>()
    const arrived: string[] = []
    const hidden = new Set<string>()
    let drawn = 0
    const draw = (): number => draws[drawn++ % draws.length] ?? 0

    const send = async (from: Name, round: number): Promise<void> => {
      for (let count = 0; count < letters; count++) {
        const text = `${from} ${round} ${count}`
        await world.messages.send(asAgent(agents[from]), 'lead', text)
        accepted.add(text)
      }
    }
    /** Its result reaches the caller, or not. */
    const settle = async (
      texts: readonly string[],
      receipts: readonly Receipt[],
    ): Promise<void> => {
      const arrives = draw() > 2
      if (arrives) for (const text of texts) hidden.add(text)
      for (const receipt of receipts) await (arrives ? receipt.confirm() : receipt.giveBack())
      if (!arrives) return
      arrived.push(...texts)
      for (const text of texts) hidden.delete(text)
    }
    const consume = async (how: 'anyone' | 'several' | 'all'): Promise<void> => {
      for (;;) {
        const receipts: Receipt[] = []
        const receipt = (one: Receipt): void => void receipts.push(one)
        if (how === 'all') {
          const { messages } = await world.messages.checkMail(asAgent(agents.lead), false, receipt)
          await settle(
            messages.map(({ message }) => message),
            receipts,
          )
          await new Promise((resolve) => setImmediate(resolve))
          continue
        }
        const abort = new AbortController()
        if (draw() === 0) setImmediate(() => abort.abort())
        const from = how === 'several' ? { from: ['one', 'three'] } : {}
        const result = await world.waiting
          .wait(asAgent(agents.lead), { timeout: 1000, ...from }, { signal: abort.signal, receipt })
          .catch(() => undefined)
        if (result === undefined) continue
        const texts =
          'results' in result
            ? result.results.flatMap(({ message }) => message ?? [])
            : 'message' in result
              ? [result.message]
              : []
        await settle(texts, receipts)
      }
    }
    for (const [round, pause] of ticks.entries()) {
      for (const from of ['one', 'three'] as const) void send(from, round)
      for (const how of ['anyone', 'several', 'all'] as const) void consume(how)
      for (let tick = 0; tick < pause; tick++) await new Promise((resolve) => setImmediate(resolve))
      await world.die()
      world = await openMailWorld(folder.file)
      await world.recover()
    }
    const { messages } = await world.messages.checkMail(asAgent(agents.lead), false)
    const left = messages.map(({ message }) => message)
    for (const from of ['one', 'three']) {
      const sent = left
        .filter((text) => text.startsWith(from))
        .map((text) => text.split(' ').slice(1).map(Number))
      expect(sent).toEqual(
        sent.toSorted(
          ([round = 0, count = 0], [otherRound = 0, otherCount = 0]) =>
            round - otherRound || count - otherCount,
        ),
      )
    }
    const all = [...arrived, ...left]
    expect(all.length, 'each arrives once').toBe(new Set(all).size)
    expect([...accepted].filter((text) => !all.includes(text) && !hidden.has(text))).toEqual([])
  } finally {
    await world.die()
    await folder.remove()
  }
}

/**
 * Milliseconds for one case, which takes a tenth of a second: one that hangs is reported as what it
 * is, with its steps.
 */
const HANGS = 20_000

describe.each(storeKinds())('mailboxes on $name', ({ part, place }) => {
  it('lose nothing and give nothing twice, however many take at once, and wherever the daemon is killed', async () => {
    const ticks = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 3 })
    const draws = fc.array(fc.nat({ max: 9 }), { minLength: 20, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 15 }), ticks, draws, async (...drawn) =>
        crowd(await place(), ...drawn),
      ),
      { numRuns: Math.ceil(30 * part), timeout: HANGS },
    )
  }, 120_000)

  it(
    verifies(
      'R000-10',
      'are queues for each recipient, whatever is sent, taken, waited for, killed, given back and restarted in between',
    ),
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 5, maxLength: 40 }),
          fc.boolean(),
          async (...drawn) => play(await place(), ...drawn),
        ),
        { numRuns: Math.ceil(60 * part), timeout: HANGS },
      )
    },
    120_000,
  )
})
