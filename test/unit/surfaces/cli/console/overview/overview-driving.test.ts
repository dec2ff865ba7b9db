import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../../../../src/core/agents/tree-document.ts'
import { ExomonadError } from '../../../../../../src/domain/errors.ts'
import {
  commandIn,
  filterIn,
  liveFilter,
} from '../../../../../../src/surfaces/cli/console/overview/line-meaning.ts'
import {
  overviewRows,
  selectedRow,
} from '../../../../../../src/surfaces/cli/console/overview/overview-rows.ts'
import { isWriting, lineOf } from '../../../../../../src/surfaces/cli/console/state.ts'
import type { Inbox } from '../../../../../../src/surfaces/text/inbox/inbox-answer.ts'
import { node, pull } from '../../../text/sample-tree.ts'
import { item } from '../../../text/sample-inbox.ts'
import { drive } from '../drive.ts'

const a = node('main.a', { task: 'Write the parser', state_age_seconds: 9 })
const b = node('main.b', { state: 'failed', state_age_seconds: 5, pr: pull(7) })
const c = node('main.c', { state_age_seconds: 1 })

const inboxOf = (...items: readonly Inbox['items'][number][]): Inbox => ({
  items: [...items],
  ...{ next: null, total: items.length, by_type: {} },
  news: [],
  messages: [],
  questions: [],
  approvals: [],
})
const question = (id: string, agent: string): Inbox['items'][number] =>
  item({
    id: `question:${id}`,
    agent,
    agent_id: `id-main.${agent}`,
    title: `${agent} asks: ${id}?`,
  })
const approval = (id: string, agent: string): Inbox['items'][number] =>
  item({ ...question(id, agent), id: `approval:${id}`, type: 'permission', text: 'rm -rf build' })
const ready = (number: number): Inbox['items'][number] =>
  item({
    id: `pull:${number}`,
    type: 'pull',
    agent: null,
    agent_id: null,
    title: `#${number} can be merged`,
    text: 'The title\nmore',
    settle: [`exomonad pr merge ${number}`],
  })

function open(
  children: readonly TreeNode[],
  answers: Parameters<typeof drive>[1] = {},
  ...items: readonly Inbox['items'][number][]
) {
  const console = drive(children, { scrollback: () => ({}), ...answers })
  const show = (...now: readonly Inbox['items'][number][]): void =>
    console.store.dispatch({ type: 'inbox', inbox: inboxOf(...now) })
  console.store.dispatch({ type: 'place', place: 'overview' })
  show(...items)
  const state = () => console.store.get()
  return {
    ...console,
    show,
    state,
    selected: () => selectedRow(state(), overviewRows(state()))?.row.key,
    keys: () => overviewRows(state()).map(({ key }) => key),
  }
}

describe('selecting in the overview', () => {
  it('begins with what needs the person, and views whom it is about', () => {
    const console = open([a, b], {}, question('q-1', 'b'))
    expect(console.selected()).toBe('item question:q-1')
    expect(console.state().viewed).toBe(b.id)
    console.press('down', 'down')
    expect(console.state().viewed).toBe(a.id)
    console.type('G')
    expect(console.state().viewed).toBe(b.id)
    console.type('gjk')
    expect(console.selected()).toBe('item question:q-1')
  })

  it('stays where it is whatever comes above it, and on the next one where it goes', () => {
    const console = open([a, b], {}, question('q-1', 'a'), question('q-2', 'b'))
    console.press('down')
    console.show(question('q-0', 'a'), question('q-1', 'a'), question('q-2', 'b'))
    expect(console.selected()).toBe('item question:q-2')
    console.show(question('q-0', 'a'), question('q-1', 'a'))
    expect(console.selected()).toBe('agent id-main')
    console.press('up')
    console.show(question('q-0', 'a'))
    expect(console.selected()).toBe('agent id-main')
  })

  it('is no other one once it was shown, whatever comes above it', () => {
    const console = open([a, b], {}, question('q-1', 'b'))
    console.show(question('q-0', 'a'), question('q-1', 'b'))
    expect([console.selected(), console.state().viewed]).toEqual(['item question:q-1', b.id])
    // Nor where a key came before it was known what needs the person.
    const early = drive([a], {})
    early.store.dispatch({ type: 'place', place: 'overview' })
    const { viewed } = early.store.get()
    early.press('complete')
    early.store.dispatch({ type: 'inbox', inbox: inboxOf(question('q-1', 'a')) })
    expect(early.store.get()).toMatchObject({
      viewed,
      overview: { selected: { key: `agent ${viewed}` } },
    })
  })

  it('does nothing at once with what took the place of another', async () => {
    const merge_pr = () => ({ sha: 'abc', next: '', retargeted: [], siblings_behind: [] })
    const console = open([a, b], { merge_pr }, ready(4), ready(5))
    console.show(ready(5))
    console.press('submit')
    for (const key of ['m', 'x', 't', 'd']) console.type(key)
    await console.settled()
    expect([console.state().ask, console.state().place, console.calls]).toEqual([
      null,
      'overview',
      [],
    ])
    expect(console.view(console.state().viewed).notices.at(-1)?.text).toContain('is gone')
    console.pass(500)
    console.press('submit')
    expect(console.state().ask).toMatchObject({ kind: 'merge', number: 5 })
    // What the person makes go away is no surprise.
    console.press('escape')
    console.line('/parser')
    console.press('submit')
    expect(console.state()).toMatchObject({ place: 'conversation', viewed: a.id })
  })

  it('acts at once on what is filtered for before it is there', () => {
    const console = open([a])
    console.line('/merged')
    console.show(ready(4))
    console.press('submit')
    expect(console.state().ask).toMatchObject({ kind: 'merge', number: 4 })
  })

  it('sorts, and shows the agents alone then', () => {
    const console = open([a, b, c])
    expect(console.keys()).toEqual(['id-main', a.id, b.id, c.id].map((id) => `agent ${id}`))
    const orders = [1, 2, 3, 4].map(() => {
      console.type('s')
      return [
        console.state().overview.sort,
        console
          .keys()
          .map((key) => key.at(-1))
          .join(''),
      ]
    })
    expect(orders).toEqual([
      ['name', 'abcn'],
      ['state', 'bnca'],
      ['age', 'ncba'],
      ['tree', 'nabc'],
    ])
  })

  it('filters as one writes, by what rows say, and shows all again on Escape', () => {
    const console = open([a, b, c], {}, question('q-1', 'b'))
    console.type('/wri')
    expect(console.keys()).toEqual([`agent ${a.id}`])
    expect(console.state().viewed).toBe(a.id)
    console.press('submit')
    expect(console.state().overview).toMatchObject({ line: null, filter: 'wri' })
    console.press('escape')
    expect(console.keys()).toHaveLength(5)
    expect(console.selected()).toBe(`agent ${a.id}`)
    console.type('/#7')
    expect(console.keys()).toEqual([`agent ${b.id}`])
    console.press('escape')
    // As it was before the line was begun.
    expect(console.selected()).toBe(`agent ${a.id}`)
    expect(console.keys()).toHaveLength(5)
  })

  it.each([
    ['/wait 30', '/wait 30', '', null],
    ['/exit', '/exit', '', null],
    ['/wai', null, 'wai', null],
    ['/waiting', null, 'waiting', 'waiting'],
    ['/ wait', null, 'wait', 'wait'],
    ['/', null, '', null],
    [':anything at all', '/anything at all', '', null],
    ['/Parser x', null, 'parser x', 'parser x'],
  ])('reads %j as command %j or filter %j, live %j', (text, command, filter, live) => {
    expect([commandIn(text), filterIn(text), liveFilter(text)]).toEqual([command, filter, live])
  })
})

describe('acting in the overview', () => {
  it('runs a command for what was selected before it was written', async () => {
    const console = open([a, b, c])
    console.press('down', 'down', 'down')
    // On its way it filters, by what could be nothing else.
    for (const letter of '/parser') console.type(letter)
    expect(console.state().viewed).toBe(a.id)
    console.press('interrupt')
    for (const letter of '/wait 30') console.type(letter)
    expect(console.selected()).toBe(`agent ${c.id}`)
    console.press('submit')
    await console.settled()
    expect(console.calls).toEqual([`${c.id}: wait {"timeout":30}`])
    expect(console.state()).toMatchObject({ place: 'overview', overview: { line: null } })
  })

  it('takes no letter of a command for a key, however it comes', async () => {
    const console = open([a, b])
    console.press('down')
    for (const letter of '/send b dxqsm') console.type(letter)
    console.press('submit')
    await console.settled()
    expect(console.calls).toEqual([`the person: send {"to":"${b.id}","message":"dxqsm"}`])
    expect(console.quits()).toBe(0)
  })

  it('completes commands and agents', () => {
    const console = open([a, node('main.longname')])
    console.type(':wa')
    console.press('complete')
    console.type('lon')
    console.press('complete')
    expect(lineOf(console.state()).text).toBe(':wait longname ')
  })

  it('goes to the conversation for what is written next', async () => {
    const console = open([a])
    console.press('down')
    console.line('/capture')
    await console.settled()
    expect(console.calls).toEqual([`${a.id}: capture {"begin":true}`])
    expect(console.state()).toMatchObject({ place: 'conversation', viewed: a.id })
    console.press('escape')
    expect(console.state().place).toBe('overview')
    expect(console.selected()).toBe(`agent ${a.id}`)
    console.press('submit')
    expect(console.state().place).toBe('conversation')
  })

  it('answers what is selected, and keeps an answer that could not be given', async () => {
    let refuses = true
    const inbox = inboxOf(question('q-1', 'a'), question('q-2', 'b'))
    const console = open(
      [node('main.a', { open_questions: 1 }), node('main.b', { open_questions: 1 })],
      {
        inbox: () => inbox,
        answer_question: () => {
          if (refuses) throw new ExomonadError('INTERNAL', 'The disk is full.')
          return { status: 'delivered' }
        },
      },
      ...inbox.items,
    )
    console.press('down', 'submit')
    console.line('spaces')
    await console.settled()
    expect(lineOf(console.state()).text).toBe('spaces')
    refuses = false
    console.press('submit')
    await console.settled()
    expect(console.calls.filter((call) => call.includes('answer_question')).at(-1)).toBe(
      'the person: answer_question {"agent":"id-main.b","message":"spaces","question_id":"q-2"}',
    )
    expect(console.state().ask).toBeNull()
  })

  it('approves or denies by a key each, and by nothing else', async () => {
    const inbox = inboxOf(approval('p-1', 'a'))
    const console = open([a], { inbox: () => inbox }, ...inbox.items)
    console.press('submit', 'submit')
    console.type('y')
    expect(console.state().ask).toMatchObject({ kind: 'decide', what: 'rm -rf build' })
    console.type('d')
    console.line('not here')
    await console.settled()
    expect(console.calls).toContain('the person: deny {"approval_id":"p-1","reason":"not here"}')
    console.press('submit')
    console.type('a')
    console.press('submit')
    await console.settled()
    expect(console.calls).toContain('the person: approve {"approval_id":"p-1"}')
  })

  it('merges after one question, which only y answers', async () => {
    const console = open(
      [a],
      { merge_pr: () => ({ sha: 'abc', next: '', retargeted: [], siblings_behind: [] }) },
      ready(4),
    )
    for (const key of ['n', 'yy']) {
      console.press('submit')
      expect(console.state().ask).toEqual({
        kind: 'merge',
        number: 4,
        title: 'The title',
        head: '',
      })
      console.type(key)
    }
    console.press('submit', 'submit')
    await console.settled()
    expect(console.calls).toEqual([])
    console.type('m')
    console.type('y')
    await console.settled()
    expect(console.calls).toEqual(['the person: merge_pr {"pr_number":4}'])
  })

  it('kills after one question, also one that has nobody below it', async () => {
    const console = open([a, b], { kill: () => ({ killed: [] }) })
    console.press('down')
    console.type('x')
    expect(console.state().ask).toMatchObject({ kind: 'kill', agentId: a.id, below: 0 })
    console.press('submit')
    await console.settled()
    expect([console.state().ask, console.calls]).toEqual([null, []])
    console.type('x')
    console.type('y')
    await console.settled()
    expect(console.calls).toEqual([`the person: kill {"agent":"${a.id}"}`])
  })

  it('goes through the tabs, and scrolls the preview where that has the keys', () => {
    const console = open([a])
    console.type('3')
    console.press('complete')
    expect(console.state().overview).toMatchObject({ tab: 'task', focus: 'preview' })
    console.type(']]]')
    expect(console.state().overview.tab).toBe('terminal')
    console.type('[')
    expect(console.state().overview.tab).toBe('mail')
    const before = console.selected()
    console.press('down')
    expect(console.selected()).toBe(before)
    expect(console.state().overview.scroll).not.toBeUndefined()
    console.press('escape', 'down')
    expect(console.selected()).toBe(`agent ${a.id}`)
    expect(console.state().overview).toMatchObject({ focus: 'list', scroll: undefined })
  })

  it('ends the wait of the selected agent on Escape, and leaves on q and Ctrl-D', async () => {
    const wait = (_: unknown, __: unknown, signal?: AbortSignal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    const console = open([a], { wait })
    console.press('down')
    console.line('/wait 30')
    await console.settled()
    expect(Object.keys(console.state().waits)).toEqual([a.id])
    console.press('escape')
    await console.settled()
    expect(console.state().waits).toEqual({})
    console.type('q')
    console.press('end-of-input')
    expect(console.quits()).toBe(2)
  })

  it.each(['xy', 'xyy', 'proxy'])('kills nobody by the piece %j', async (piece) => {
    const console = open([a], { kill: () => ({ killed: [] }) })
    console.press('down')
    console.burst(piece)
    await console.settled()
    expect([console.state().ask?.kind, console.calls]).toEqual(['kill', []])
  })

  it('decides nothing by one piece', async () => {
    const inbox = inboxOf(approval('p-1', 'a'))
    const console = open([a], { inbox: () => inbox }, ...inbox.items)
    console.burst('\ra\r')
    await console.settled()
    expect([console.state().ask?.kind, console.calls]).toEqual(['decide', []])
  })

  it('hands to the child what is typed while it is made from the list', async () => {
    let made = (_: unknown): void => {}
    const console = open([a], { fork_capture: () => new Promise((resolve) => (made = resolve)) })
    console.press('down')
    console.line('/fork kid')
    console.line('for the child')
    await console.settled()
    const kid = node('main', { id: 'id-kid' as TreeNode['id'], name: 'kid', kind: 'fork' })
    console.grow(kid)
    made({ agent_id: kid.id, name: 'kid', context: 'fresh', warnings: [] })
    await console.settled()
    expect(console.calls.slice(1)).toEqual([
      `the person: send {"to":"${kid.id}","message":"for the child"}`,
    ])
  })

  it('does what is typed while the dead are taken away, and has it answer nothing', async () => {
    let reaped = (_: unknown): void => {}
    const console = open([a, b], {
      reap: () => new Promise((resolve) => (reaped = resolve)),
      kill: () => ({ killed: [] }),
    })
    console.press('down')
    console.line('/reap')
    console.press('down')
    console.type('x')
    console.type('y')
    await console.settled()
    reaped({ reaped: [], next: null })
    await console.settled()
    expect(console.state().ask).toMatchObject({ kind: 'kill', agentId: b.id })
    expect(console.calls).toEqual(['the person: reap {}'])
  })

  it('leaves by no way without asking about what is not sent', () => {
    const console = open([a])
    console.store.dispatch({ type: 'review-open', number: 3 })
    console.store.dispatch({
      type: 'review-comment',
      number: 3,
      comment: { path: 'a', from: 1, line: 1, body: 'kept' },
    })
    console.store.dispatch({ type: 'place', place: 'overview' })
    console.press('interrupt', 'interrupt')
    expect([console.state().ask?.kind, console.quits()]).toEqual(['leave', 0])
    console.press('interrupt')
    expect([console.state().ask, console.quits()]).toEqual([null, 0])
    console.line('/quit')
    expect([console.state().ask?.kind, console.quits()]).toEqual(['leave', 0])
    console.type('y')
    expect(console.quits()).toBe(1)
  })

  it('names by a number what stood under it when the line was begun', async () => {
    const second = approval('p-2', 'b')
    let now = inboxOf(second)
    const console = open([a, b], { inbox: () => now }, approval('p-1', 'a'), second)
    console.type('/deny 2')
    console.show(second, approval('p-3', 'a'))
    const numbers = overviewRows(console.state()).flatMap((row) =>
      row.kind === 'item' ? [row.number] : [],
    )
    expect(numbers).toEqual([2, null])
    console.press('submit')
    await console.settled()
    expect(console.calls).toContain('the person: deny {"approval_id":"p-2"}')
    expect(overviewRows(console.state())[0]).toMatchObject({ number: 1 })
    // What came since has no number that one could have seen.
    now = inboxOf(second, approval('p-3', 'a'))
    console.line('/deny 2')
    await console.settled()
    expect(console.calls.filter((call) => call.includes('deny'))).toHaveLength(1)
  })

  it('names by a number what stood under it', async () => {
    const inbox = inboxOf(approval('p-1', 'a'), approval('p-2', 'b'))
    const console = open([a, b], { inbox: () => inboxOf(approval('p-2', 'b')) }, ...inbox.items)
    console.line('/deny 2')
    await console.settled()
    expect(console.calls).toContain('the person: deny {"approval_id":"p-2"}')
  })

  it('writes nothing to an agent', () => {
    const console = open([a])
    console.press('down')
    console.type('hello there')
    expect(console.view(a.id).draft.text).toBe('')
    expect(isWriting(console.state().ask)).toBe(false)
  })
})
