import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { Mail } from '../../../src/domain/records.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import type { OpenedStore } from './suite.ts'
import { mailRow } from './rows.ts'

export function mailVerbs(store: () => Store, open: () => Promise<OpenedStore>): void {
  describe('mail', () => {
    it('takes mail out in the order of sending, whatever the clocks of the senders say', async () => {
      const to = newAgentId()
      const sent = [
        mailRow(to, { sentAt: 300 }),
        mailRow(to, { sentAt: 100 }),
        mailRow(to, { sentAt: 200 }),
      ]
      for (const mail of sent) await store().mail.send(mail)
      expect(await store().mail.peek(to)).toEqual(sent)
      expect(await store().mail.pop(to, { limit: 2 })).toEqual(sent.slice(0, 2))
      expect(await store().mail.pop(to)).toEqual(sent.slice(2))
      expect(await store().mail.pop(to)).toEqual([])
    })

    it('gives each message to one of many who pop at once', async () => {
      const to = newAgentId()
      const sent = Array.from({ length: 30 }, () => mailRow(to))
      for (const mail of sent) await store().mail.send(mail)
      const popped = await Promise.all(
        Array.from({ length: 40 }, () => store().mail.pop(to, { limit: 1 })),
      )
      expect(popped.flat()).toEqual(sent)
    })

    it('puts mail back at its old place, before what came later', async () => {
      const to = newAgentId()
      const sent = Array.from({ length: 3 }, () => mailRow(to))
      for (const mail of sent.slice(0, 2)) await store().mail.send(mail)
      const popped = await store().mail.pop(to)
      await store().mail.send(sent[2] ?? mailRow(to))
      await store().mail.giveBack(popped.map(({ id }) => id))
      expect(await store().mail.pop(to)).toEqual(sent)
    })

    it('counts what waits in each box that is not empty', async () => {
      const own = await open()
      const [one, two, none] = [newAgentId(), newAgentId(), newAgentId()]
      expect(await own.store.mail.counts()).toEqual(new Map())
      const sent = [mailRow(one), mailRow(one), mailRow(two), mailRow(none)]
      for (const mail of sent) await own.store.mail.send(mail)
      await own.store.mail.pop(one, { limit: 1 })
      const [gone] = await own.store.mail.pop(none)
      await own.reopen()
      expect(await own.store.mail.counts()).toEqual(new Map([one, two].map((id) => [id, 1])))
      await own.store.mail.giveBack(sent.slice(0, 1).map(({ id }) => id))
      await own.store.mail.confirm([gone?.id ?? ''])
      expect(await own.store.mail.counts()).toEqual(
        new Map([
          [one, 2],
          [two, 1],
        ]),
      )
      await own.dispose()
    })

    it('is a queue for each recipient: any sending, popping and giving back', async () => {
      const senders = [newAgentId(), newAgentId(), newAgentId()]
      const operation = fc.oneof(
        {
          weight: 3,
          arbitrary: fc.record({
            do: fc.constant('send' as const),
            from: fc.constantFrom(...senders),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            do: fc.constant('pop' as const),
            from: fc.option(fc.subarray(senders), { nil: undefined }),
            limit: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
          }),
        },
        {
          weight: 1,
          arbitrary: fc.record({
            do: fc.constant('giveBack' as const),
            which: fc.array(fc.nat({ max: 20 }), { maxLength: 5 }),
          }),
        },
      )
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
          const to = newAgentId()
          const box: { mail: Mail; popped: boolean }[] = []
          for (const step of operations) {
            if (step.do === 'send') {
              const mail = mailRow(to, { from: step.from, message: `${box.length}` })
              box.push({ mail, popped: false })
              await store().mail.send(mail)
            } else if (step.do === 'pop') {
              const expected = box
                .filter(({ mail, popped }) => !popped && (step.from?.includes(mail.from) ?? true))
                .slice(0, step.limit ?? Infinity)
              for (const entry of expected) entry.popped = true
              const options = {
                ...(step.from === undefined ? {} : { from: step.from }),
                ...(step.limit === undefined ? {} : { limit: step.limit }),
              }
              expect(await store().mail.peek(to, options)).toEqual(expected.map(({ mail }) => mail))
              expect(await store().mail.pop(to, options)).toEqual(expected.map(({ mail }) => mail))
            } else {
              const chosen = step.which.flatMap((index) => box[index] ?? [])
              for (const entry of chosen) entry.popped = false
              await store().mail.giveBack(chosen.map(({ mail }) => mail.id))
            }
            expect(await store().mail.peek(to)).toEqual(
              box.filter(({ popped }) => !popped).map(({ mail }) => mail),
            )
          }
        }),
        { numRuns: 60 },
      )
    })
  })

  describe('wake-ups', () => {
    it('wake the recipient’s subscribers, with the mail there to be read, and nobody else', async () => {
      const to = newAgentId()
      const other: string[] = []
      const stopOther = store().subscribe(newAgentId(), () => other.push('woken'))
      const woken = Promise.withResolvers<Mail[]>()
      const stop = store().subscribe(
        to,
        () => void store().mail.peek(to).then(woken.resolve, woken.reject),
      )
      const mail = mailRow(to)
      await store().mail.send(mail)
      expect(await woken.promise).toEqual([mail])
      stop()
      stopOther()
      expect(other).toEqual([])
    })

    it('reach all subscribers, also past one that fails, and none that stopped', async () => {
      const agent = newAgentId()
      const received: string[] = []
      const stops = [
        store().subscribe(agent, () => {
          throw new Error('a listener’s own fault')
        }),
        store().subscribe(agent, () => received.push('second')),
        store().subscribe(agent, () => received.push('third')),
      ]
      stops[1]?.()
      await store().signal(agent)
      await expect.poll(() => received).toEqual(['third'])
      for (const stop of stops) stop()
      const last = Promise.withResolvers<void>()
      stops.push(store().subscribe(agent, last.resolve))
      await store().signal(agent)
      await last.promise
      stops.at(-1)?.()
      expect(received).toEqual(['third'])
    })
  })
}
