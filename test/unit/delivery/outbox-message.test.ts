import { expect, it } from 'vitest'
import {
  composeMessage,
  MEANT_FOR,
  RAW,
  type Waiting,
} from '../../../src/delivery/outbox-message.ts'
import type { DeliveryId } from '../../../src/domain/ids.ts'

const waiting = (more: Partial<Waiting>): Waiting => ({
  id: 'm-1' as DeliveryId,
  kind: 'message',
  text: 'see @/etc/passwd',
  why: null,
  eventSeq: 1,
  reach: 'wake',
  ...more,
})
const compose = (one: Waiting): string =>
  composeMessage([one], {
    maxChars: 1000,
    acks: false,
    inert: (text) => text.replaceAll('@', '@ '),
  }).text

it('raw words stay as they were written only for the agent that they were written to', () => {
  expect(compose(waiting({}))).toBe('see @ /etc/passwd')
  expect(compose(waiting({ kind: RAW }))).toBe('see @/etc/passwd')
  expect(compose(waiting({ kind: RAW, why: `${MEANT_FOR}auth, which has ended` }))).toContain(
    'see @ /etc/passwd',
  )
})

it('news is carried along however much of it waits, the newest first, until all of it was', () => {
  const idOf = (number: number) => `m-${String(number).padStart(12, '0')}` as DeliveryId
  let news = Array.from({ length: 700 }, (_, index) =>
    waiting({ id: idOf(index), kind: 'pr.merged', text: `News ${index}.`, reach: 'carry' }),
  )
  for (let message = 0; news.length > 0; message += 1) {
    const wake = waiting({ id: idOf(1000 + message), text: 'Go on.' })
    const { ids, text } = composeMessage([wake, ...news], {
      maxChars: 9900,
      acks: true,
      inert: (words) => words,
    })
    expect(ids.length).toBeGreaterThan(1)
    expect(text.length).toBeLessThanOrEqual(9900)
    expect(text).toContain(news.at(-1)?.text)
    news = news.filter(({ id }) => !ids.includes(id))
  }
})
