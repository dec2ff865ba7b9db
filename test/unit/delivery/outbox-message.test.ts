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
