import { expect, it } from 'vitest'
import { terminalNotice } from '../../../../src/surfaces/text/terminal-notice.ts'

const told = (payload: object) => ({
  type: 'person.notified',
  payload: { target: 't', kind: 'terminal', count: 1, title: 'exomonad: 1', body: '', ...payload },
})
const plain = { variables: { TERM: 'xterm-256color' }, inside: { tmux: null } }

it('is OSC 9, or 777 where a terminal knows that', () => {
  expect(terminalNotice(told({}), plain)).toBe('\u001B]9;exomonad: 1\u0007')
  const event = told({ body: '1 question (a)\n\nwhat?' })
  expect(terminalNotice(event, plain)).toBe('\u001B]9;exomonad: 1: 1 question (a), what?\u0007')
  for (const variables of [{ TERM: 'rxvt-unicode' }, { TERM: 'foot' }, { VTE_VERSION: '7600' }])
    expect(terminalNotice(event, { ...plain, variables })).toBe(
      '\u001B]777;notify;exomonad: 1;1 question (a), what?\u0007',
    )
})

it('is passed through by tmux', () => {
  expect(terminalNotice(told({}), { ...plain, inside: { tmux: {} } })).toBe(
    '\u001BPtmux;\u001B\u001B]9;exomonad: 1\u0007\u001B\\',
  )
})

it('holds nothing that ends it or begins another one, and is short', () => {
  const evil = told({ title: 'a\u0007b;c', body: `\u001B]52;c;x\u001B\\\u009c${'y'.repeat(900)}` })
  const notice = terminalNotice(evil, { ...plain, variables: { TERM: 'foot' } }) ?? ''
  const inner = notice.slice('\u001B]777;notify;'.length, -1)
  // oxlint-disable-next-line no-control-regex -- that is what must not be in it
  expect(inner).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/)
  expect(inner.split(';')).toHaveLength(2)
  expect(notice.length).toBeLessThan(450)
})

it('is nothing for what goes elsewhere, and for other events', () => {
  expect(terminalNotice(told({ kind: 'webhook' }), plain)).toBeNull()
  expect(terminalNotice({ ...told({}), type: 'question.asked' }, plain)).toBeNull()
})
