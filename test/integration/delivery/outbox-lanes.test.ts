import { describe, expect, it } from 'vitest'
import type { Observation } from '../../../src/adapters/agent-cli/agent-cli.ts'
import type { AgentPatch } from '../../../src/domain/records.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { AUTH, paneOf, ROOT, useOutboxBench } from '../../helpers/outbox-bench.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

const bench = useOutboxBench()
const until = waitFor
const withChannel = (midTurn: boolean): void => {
  bench.cli = { ...bench.cli, channel: bench.program.channel(midTurn) }
}
const first = async () => (await bench.deliveries())[0]
/** Of those that are not about what is given up: no pause of a busy machine is as long. */
const confirmsLate = (): void => {
  bench.config = configSchema.parse({
    attention: { batch_within: 0 },
    delivery: { ack_timeout: 300, retry_initial: 0.02, retry_max: 0.1 },
  })
}
/** Long enough for anything that should not happen to happen. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 150))

describe('a channel of the program’s own', () => {
  it(
    verifies(
      'R004-18',
      'comes before the terminal, and what stands in the conversation is acked without a hook',
    ),
    async () => {
      withChannel(true)
      await bench.family()
      await bench.outbox.start()
      await bench.say('look here')
      await until('the ack', async () => (await first())?.state === 'acked')
      expect(await first()).toMatchObject({ lane: 'channel', attempts: 1 })
      expect(bench.program.conversation).toEqual([
        `[MESSAGE] from the human: look here\n[${(await first())?.id}]`,
      ])
      expect(bench.terminals.typed).toEqual([])
    },
  )

  it.each<[string, AgentPatch, boolean, boolean]>([
    ['in the middle of a turn, where it can', { state: 'running' }, true, true],
    [
      'in a call of ours that waits, where it can',
      { state: 'waiting', stateReason: 'question q-01020304' },
      true,
      true,
    ],
    ['in the middle of a turn, where it can’t', { state: 'running' }, false, false],
    [
      'while a dialog is open',
      { state: 'waiting', stateReason: 'permission to use Bash' },
      true,
      false,
    ],
    ['while it is started', { state: 'spawning' }, true, false],
    ['while what it does is unknown', { state: 'unknown' }, true, false],
  ])('%s', async (_, patch, midTurn, goes) => {
    withChannel(midTurn)
    bench.program.script.observe = () => 'running'
    await bench.family(patch)
    await bench.outbox.start()
    await bench.say('one')
    if (goes) await until('the ack', async () => (await first())?.state === 'acked')
    else await quiet()
    expect(bench.program.conversation).toHaveLength(goes ? 1 : 0)
    expect(bench.terminals.typed).toEqual([])
  })

  it('that refuses leaves the message to the terminal', async () => {
    confirmsLate()
    withChannel(true)
    bench.program.script.send = () => ({ kind: 'refused', reason: 'no thread yet' })
    await bench.family()
    await bench.outbox.start()
    await bench.say('one')
    await until('it is submitted', () => bench.terminals.submitted.length === 1)
    expect(await first()).toMatchObject({ state: 'sent', lane: 'pane' })
  })

  it('that refuses mid-turn is tried again', async () => {
    withChannel(true)
    let tries = 0
    const { send } = bench.program.script
    bench.program.script.send = (text) =>
      ++tries < 3 ? { kind: 'refused', reason: 'busy' } : send(text)
    await bench.family({ state: 'running' })
    await bench.outbox.start()
    await bench.say('one')
    await until('the ack', async () => (await first())?.state === 'acked')
    expect(tries).toBe(3)
    expect(bench.terminals.typed).toEqual([])
  })

  it.each([
    ['had taken it: acked by its conversation, not said again', true, 1],
    ['had not: said again, once', false, 1],
  ])('that breaks off when the program %s', async (_, took, times) => {
    withChannel(true)
    let tries = 0
    const { send } = bench.program.script
    bench.program.script.send = async (text) => {
      if (++tries > 1) return send(text)
      if (took) await send(text)
      throw new Error('connection reset')
    }
    await bench.family()
    await bench.outbox.start()
    await bench.say('one')
    await until('the ack', async () => (await first())?.state === 'acked')
    expect(bench.program.conversation).toHaveLength(times)
    expect(tries).toBe(took ? 1 : 2)
    expect(await bench.deliveries('human')).toEqual([])
  })

  it('whose outcome can’t be determined leaves it undecided, and the human is notified', async () => {
    withChannel(true)
    bench.program.script.readable = false
    bench.program.script.send = () => Promise.reject(new Error('connection reset'))
    await bench.family()
    await bench.outbox.start()
    await bench.say('one')
    await until('it is undecided', async () => (await first())?.state === 'undecided')
    expect((await bench.deliveries('human')).map(({ kind }) => kind)).toEqual([
      'delivery.undecided',
    ])
    expect(bench.terminals.typed).toEqual([])
  })

  it('brings all, in order, while the program works and each still has to be confirmed', async () => {
    withChannel(true)
    await bench.family({ state: 'running' })
    await bench.outbox.start()
    for (let n = 0; n < 20; n++) await bench.say(`word ${n}.`)
    await until(
      'all are acked',
      async () => (await bench.deliveries(AUTH, ['acked'])).length === 20,
    )
    const found = [...bench.program.conversation.join('\n').matchAll(/word (\d+)\./g)].map(
      ([, n]) => Number(n),
    )
    expect(found).toEqual(Array.from({ length: 20 }, (_, n) => n))
  })
})

describe('the look before typing', () => {
  it.each<Observation['state']>(['running', 'waiting', 'unknown'])(
    'types nothing into a program that is recorded as idle and seen to be %s',
    async (state) => {
      bench.program.script.observe = () => state
      await bench.family()
      await bench.outbox.start()
      await bench.say('one')
      await quiet()
      expect(bench.terminals.typed).toEqual([])
      expect(await first()).toMatchObject({ state: 'queued', attempts: 0 })
      bench.program.script.observe = () => 'idle'
      await until(
        'it is submitted without anybody calling',
        () => bench.terminals.submitted.length === 1,
      )
    },
  )

  it(
    verifies('R004-18', 'presses no Enter into a dialog that opened after the paste'),
    async () => {
      bench.config = configSchema.parse({ delivery: { ack_timeout: 30 } })
      await bench.family()
      let open = false
      bench.program.script.observe = () => (open ? 'waiting' : 'idle')
      bench.terminals.script.paste = () => ((open = true), { kind: 'typed' })
      await bench.outbox.start()
      await bench.say('one')
      await until('it is pasted', () => bench.terminals.typed.length === 1)
      await quiet()
      expect(bench.terminals.submitted).toEqual([])
      open = false
      await until('it is submitted', () => bench.terminals.submitted.length === 1)
      expect(bench.terminals.typed).toHaveLength(1)
    },
  )

  it.each(['text', 'unknown'] as const)(
    'waits while its box for prompts is seen to be %s',
    async (line) => {
      bench.program.script.inputLine = () => line
      await bench.family()
      await bench.outbox.start()
      await bench.say('one')
      await quiet()
      expect(bench.terminals.typed).toEqual([])
      bench.program.script.inputLine = () => 'empty'
      await until('it is submitted', () => bench.terminals.submitted.length === 1)
    },
  )

  it('takes a look that fails or hangs for unknown', async () => {
    bench.cli = { ...bench.cli, observe: () => Promise.reject(new Error('no such file')) }
    await bench.family()
    await bench.outbox.start()
    await bench.say('one')
    await quiet()
    expect(bench.terminals.typed).toEqual([])
  })

  it('looks again and again at a program that is recorded as working, and reports what it sees', async () => {
    const seen: string[] = []
    bench.probe.onSeen((agent, { state }) => seen.push(`${agent.name} ${state}`))
    await bench.family({ state: 'running' })
    await bench.outbox.start()
    await bench.say('one')
    await until('several looks', () => seen.length >= 2)
    expect(new Set(seen)).toEqual(new Set(['auth idle']))
    expect(bench.terminals.typed).toEqual([])
  })

  it('does not look where nothing waits', async () => {
    await bench.family({ state: 'running' })
    await bench.outbox.start()
    await quiet()
    expect(bench.program.looks).toEqual({ observe: 0, mentions: 0 })
  })
})

describe('proof', () => {
  it('by the conversation confirms what was typed when any hook comes, long before it is due', async () => {
    bench.config = configSchema.parse({ delivery: { ack_timeout: 300 } })
    await bench.family()
    await bench.outbox.start()
    await bench.say('one')
    await until('it is noted', async () => (await first())?.handedAt != null)
    bench.outbox.looked(AUTH)
    await quiet()
    expect((await first())?.state).toBe('sent')
    bench.program.conversation.push(String(bench.terminals.submitted[0]?.text))
    bench.outbox.looked(AUTH)
    await until('the ack', async () => (await first())?.state === 'acked')
  })

  it('of what a hook carried comes from the conversation too', async () => {
    await bench.family({ state: 'running' })
    await bench.outbox.start()
    await bench.say('one')
    const text = await bench.outbox.takeForHook(AUTH)
    bench.program.conversation.push(String(text))
    bench.outbox.looked(AUTH)
    await until('the ack', async () => (await first())?.state === 'acked')
    expect(await first()).toMatchObject({ lane: 'hook', attempts: 1 })
  })

  it('waits for the end of the turn; what a hook’s answer lost is then said again', async () => {
    await bench.family({ state: 'running' })
    bench.program.script.observe = () => 'running'
    await bench.outbox.start()
    await bench.say('one')
    await bench.outbox.takeForHook(AUTH)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await first()).toMatchObject({ state: 'sent', lane: 'hook' })
    bench.program.script.observe = () => 'idle'
    await bench.setState(AUTH, { state: 'idle' })
    await until('it is typed', () => bench.terminals.submitted.length === 1)
    expect(await first()).toMatchObject({ lane: 'pane', attempts: 2 })
    expect(await bench.deliveries('human')).toEqual([])
  })

  it.each([false, true])(
    'sends what is gone from conversation and screen again, once, and then says that it doesn’t know (restarted: %s)',
    async (restarted) => {
      await bench.family()
      await bench.outbox.start()
      await bench.say('one')
      await until('both', () => bench.terminals.submitted.length === 2)
      if (restarted) {
        await bench.outbox.stop()
        bench.outbox = bench.newOutbox()
        await bench.outbox.start()
      }
      await until('it is undecided', async () => (await first())?.state === 'undecided')
      // Submitted twice, and both times swallowed.
      expect(bench.terminals.submitted).toHaveLength(2)
      expect(await bench.deliveries('human')).toHaveLength(1)
    },
  )

  it.each([
    { comes: 'read', readable: true, typed: 1 },
    { comes: 'read', readable: false, typed: 1 },
    { comes: 'lost', readable: true, typed: 2 },
  ])(
    'of what went into a dialog is waited for until that is gone, across a restart: then it is $comes ($readable)',
    async ({ comes, readable, typed }) => {
      const { terminals, program } = bench
      let open = false
      terminals.script.enter = () => {
        open = terminals.submitted.length === 0
        return { kind: 'typed' }
      }
      program.script.inputLine = () => (open ? 'unknown' : 'empty')
      program.script.readable = readable
      await bench.family()
      await bench.outbox.start()
      await bench.say('one')
      for (const restarts of [true, false]) {
        await until('it is noted', async () => (await first())?.handedAt != null)
        const { observe } = program.looks
        // More of them than it would take to give it up.
        await until('several looks', () => program.looks.observe >= observe + 4)
        expect(await first()).toMatchObject({ state: 'sent', attempts: 1 })
        expect(terminals.typed).toHaveLength(1)
        if (!restarts) break
        await bench.outbox.stop()
        bench.outbox = bench.newOutbox()
        await bench.outbox.start()
      }
      program.script.readable = true
      if (comes === 'read') program.conversation.push(String(terminals.submitted[0]?.text))
      open = false
      await until('its end', async () =>
        comes === 'read' ? (await first())?.state === 'acked' : terminals.submitted.length === 2,
      )
      expect(terminals.typed).toHaveLength(typed)
      expect(await bench.deliveries('human')).toEqual([])
    },
  )

  it('presses Enter for a paste that the program shows as a placeholder only', async () => {
    const { terminals, program } = bench
    const standing = () => terminals.box.get(paneOf(AUTH)) ?? ''
    terminals.multiplexer.capture = async () =>
      `some output\n> ${standing() === '' ? '' : '[Pasted Text: 6 lines]'}`
    program.script.inputLine = () => (standing() === '' ? 'empty' : 'text')
    let enters = 0
    terminals.script.enter = () => {
      if (++enters === 1) return 'ignored'
      program.conversation.push(standing())
      return { kind: 'typed' }
    }
    await bench.family()
    await bench.outbox.start()
    await bench.say('one\ntwo\nthree')
    await until('it is confirmed', async () => (await first())?.state === 'acked')
    expect(terminals.submitted).toHaveLength(1)
    expect(terminals.typed).toHaveLength(1)
  })

  it('takes the placeholder of an earlier paste for nothing where the box is empty', async () => {
    const { terminals } = bench
    terminals.multiplexer.capture = async () => '> [Pasted Text: 6 lines]\nUnderstood.\n> '
    await bench.family()
    await bench.outbox.start()
    await bench.say('one')
    await until('it is sent again', () => terminals.typed.length === 2)
  })

  it('sends nothing again that a conversation can’t be asked about', async () => {
    bench.program.script.readable = false
    await bench.family()
    await bench.outbox.start()
    await bench.say('one')
    await until('it is undecided', async () => (await first())?.state === 'undecided')
    expect(bench.terminals.submitted).toHaveLength(1)
  })

  it('after a restart settles at once what arrived before', async () => {
    bench.config = configSchema.parse({ delivery: { ack_timeout: 300 } })
    await bench.family()
    await bench.outbox.start()
    await bench.say('one')
    await until('it is noted', async () => (await first())?.handedAt != null)
    await bench.outbox.stop()
    bench.program.conversation.push(String(bench.terminals.submitted[0]?.text))
    bench.outbox = bench.newOutbox()
    await bench.outbox.start()
    await until('the ack', async () => (await first())?.state === 'acked')
  })

  it('of what a kill cut off before it was sent does not wait for the time in which it is confirmed', async () => {
    bench.config = configSchema.parse({ delivery: { ack_timeout: 300 } })
    withChannel(true)
    await bench.family()
    await bench.say('one')
    const waiting = (await bench.deliveries()).map(({ id }) => id)
    // As a daemon left it that was killed before its request went out.
    await bench.store.outbox.claim(waiting, 'channel', 'b-1', bench.clock())
    await bench.outbox.start()
    await until('the ack', async () => (await first())?.state === 'acked')
    expect(bench.program.conversation).toHaveLength(1)
    expect(await first()).toMatchObject({ attempts: 2 })
  })

  it('of an agent that ended is its conversation', async () => {
    bench.config = configSchema.parse({ delivery: { ack_timeout: 300 } })
    await bench.family()
    await bench.outbox.start()
    await bench.say('one')
    await until('it is noted', async () => (await first())?.handedAt != null)
    bench.program.conversation.push(String(bench.terminals.submitted[0]?.text))
    await bench.setState(AUTH, { state: 'failed' })
    await until('the ack', async () => (await first())?.state === 'acked')
    expect(await bench.deliveries(ROOT)).toEqual([])
  })
})

describe('a message that is too long to be typed', () => {
  const long = `please look: ${'x'.repeat(300)}\nsecond\nthird\nfourth\nfifth`

  it('is pointed to by one line, and comes whole with the prompt', async () => {
    confirmsLate()
    bench.cli = { ...bench.cli, pasteLimit: { lines: 4, chars: 1000 } }
    await bench.family()
    await bench.outbox.start()
    await bench.say(long)
    await until('it is submitted', () => bench.terminals.submitted.length === 1)
    const { id } = (await first()) ?? {}
    const typed = String(bench.terminals.submitted[0]?.text)
    expect(typed).not.toContain('\n')
    expect(typed).toMatch(/^\[exomonad\] \[MESSAGE\] from the human: please look/)
    expect(typed).toContain(`read_message {"id":"${id}"}`)
    const text = await bench.outbox.promptArrived(AUTH, [String(id)])
    expect(text).toContain('second\n')
    expect(text).toContain('fifth')
    expect(text?.endsWith(`[${id}]`)).toBe(true)
    expect(bench.terminals.submitted[0]?.paneId).toBe(paneOf(AUTH))
    // The hook’s answer may get lost: the conversation shows whether it did.
    expect((await first())?.state).toBe('sent')
    bench.program.conversation.push(String(text))
    bench.outbox.looked(AUTH)
    await until('the ack', async () => (await first())?.state === 'acked')
  })

  it('waits again where the hook’s answer got lost, and where the hook could not be answered at all', async () => {
    bench.config = configSchema.parse({
      attention: { batch_within: 0 },
      delivery: { ack_timeout: 20, retry_initial: 0.02, retry_max: 0.1 },
    })
    bench.cli = { ...bench.cli, pasteLimit: { lines: 4, chars: 1000 } }
    await bench.family()
    await bench.outbox.start()
    await bench.say(long)
    await until('it is submitted', () => bench.terminals.submitted.length === 1)
    const id = String((await first())?.id)
    await bench.outbox.promptArrived(AUTH, [id])
    await until('it is noted', async () => (await first())?.handedAt != null)
    const line = (count: number) =>
      until(`line ${String(count)}`, () => {
        bench.shift += 5_000
        bench.outbox.wake(AUTH)
        return bench.terminals.submitted.length === count
      })
    await line(2)
    expect(await bench.outbox.promptArrived(AUTH, [id], { unanswered: true })).toBeNull()
    await line(3)
    bench.program.conversation.push(String(await bench.outbox.promptArrived(AUTH, [id])))
    bench.outbox.looked(AUTH)
    await until('the ack', async () => (await first())?.state === 'acked')
  })

  it('counts as read with its prompt where the conversation can’t be read', async () => {
    confirmsLate()
    bench.cli = { ...bench.cli, pasteLimit: { lines: 4, chars: 1000 } }
    bench.program.script.readable = false
    await bench.family()
    await bench.outbox.start()
    await bench.say(long)
    await until('it is submitted', () => bench.terminals.submitted.length === 1)
    await bench.outbox.promptArrived(AUTH, [String((await first())?.id)])
    await until('the ack', async () => {
      bench.shift += 100_000
      bench.outbox.wake(AUTH)
      return (await first())?.state === 'acked'
    })
  })

  it('is read by its id where it did not come, by its own agent only', async () => {
    confirmsLate()
    bench.cli = { ...bench.cli, pasteLimit: { lines: 4, chars: 1000 } }
    await bench.family()
    await bench.outbox.start()
    await bench.say(long)
    await until('it is submitted', () => bench.terminals.submitted.length === 1)
    const id = String((await first())?.id)
    expect(await bench.outbox.read(ROOT, id)).toBeUndefined()
    expect((await first())?.state).toBe('sent')
    expect(await bench.outbox.read(AUTH, id)).toContain('fifth')
    expect((await first())?.state).toBe('acked')
  })

  describe('of many that came while it worked', () => {
    const limit = { lines: 3, chars: 750 }
    const numbered = Array.from({ length: 12 }, (_, index) => `number ${String(index)} ${long}`)
    /** Returns the id that the line names, and what was typed. */
    const pointedTo = async () => {
      await bench.family({ state: 'running' })
      await bench.outbox.start()
      for (const message of numbered) await bench.say(message)
      await bench.outbox.settled()
      await bench.setState(AUTH, { state: 'idle' })
      await until('it is submitted', () => bench.terminals.submitted.length === 1)
      const typed = String(bench.terminals.submitted[0]?.text)
      const ids = [...new Set(typed.match(/\bm-[0-9a-f]{12}\b/g))]
      expect(typed.length).toBeLessThanOrEqual(limit.chars)
      expect(ids).toEqual([(await first())?.id])
      return String(ids[0])
    }
    const states = async () => (await bench.deliveries()).map(({ state }) => state)

    it('is pointed to by a line that names the first, and that brings all', async () => {
      confirmsLate()
      bench.cli = { ...bench.cli, pasteLimit: limit }
      const text = await bench.outbox.promptArrived(AUTH, [await pointedTo()])
      for (const message of numbered) expect(text).toContain(message)
      bench.program.conversation.push(String(text))
      bench.outbox.looked(AUTH)
      await until('the acks', async () => (await states()).every((state) => state === 'acked'))
    })

    it('is shown by its conversation also where a hook’s answer was cut', async () => {
      confirmsLate()
      bench.cli = { ...bench.cli, pasteLimit: limit, contextLimit: 800 }
      const text = await bench.outbox.promptArrived(AUTH, [await pointedTo()])
      expect(text?.length).toBeLessThanOrEqual(800)
      bench.program.conversation.push(String(text))
      bench.outbox.looked(AUTH)
      await until('the acks', async () => (await states()).every((state) => state === 'acked'))
    })

    it('counts as read with its prompt where the program has no conversation to look at', async () => {
      confirmsLate()
      const { mentions: _, ...cli } = bench.cli
      bench.cli = { ...cli, pasteLimit: limit } as typeof bench.cli
      await bench.outbox.promptArrived(AUTH, [await pointedTo()])
      expect(new Set(await states())).toEqual(new Set(['acked']))
    })

    it('is read whole by that id', async () => {
      confirmsLate()
      bench.cli = { ...bench.cli, pasteLimit: limit }
      const text = await bench.outbox.read(AUTH, await pointedTo())
      for (const message of numbered) expect(text).toContain(message)
      expect(new Set(await states())).toEqual(new Set(['acked']))
    })
  })

  it('that fits is typed as it is, and its prompt is answered nothing', async () => {
    confirmsLate()
    bench.cli = { ...bench.cli, pasteLimit: { lines: 4, chars: 1000 } }
    await bench.family()
    await bench.outbox.start()
    await bench.say('short')
    await until('it is submitted', () => bench.terminals.submitted.length === 1)
    expect(await bench.outbox.promptArrived(AUTH, [String((await first())?.id)])).toBeNull()
  })

  it('is cut where a hook’s answer would be, and says how to read the whole', async () => {
    confirmsLate()
    bench.cli = { ...bench.cli, pasteLimit: { lines: 4, chars: 1000 }, contextLimit: 250 }
    await bench.family()
    await bench.outbox.start()
    await bench.say(long)
    await until('it is submitted', () => bench.terminals.submitted.length === 1)
    const id = String((await first())?.id)
    const text = await bench.outbox.promptArrived(AUTH, [id])
    expect(text?.length).toBeLessThanOrEqual(250)
    expect(text).toContain(`read_message {"id":"${id}"}`)
  })
})
