import { describe, expect, it } from 'vitest'
import type { TreeNode } from '../../../../../src/core/agents/tree-document.ts'
import { ExomonadError } from '../../../../../src/domain/errors.ts'
import { lineOf } from '../../../../../src/surfaces/cli/console/state.ts'
import { node, view } from '../../text/sample-tree.ts'
import { inboxOf } from '../../text/sample-inbox.ts'
import { drive } from './drive.ts'

const idle = { scrollback: () => ({}) }
const a = node('main.a')
const b = node('main.b')

describe('driving the console', () => {
  it('sends what is typed to the viewed agent, as the person', async () => {
    const console = drive([a], idle)
    console.press('next')
    console.line('hello')
    await console.settled()
    expect(console.calls).toEqual([`the person: send {"to":"${a.id}","message":"hello"}`])
    expect(console.view(a.id).sent?.state).toBe('queued')
  })

  it('writes what is typed to a process’s standard input, and sends to a session as to any agent', async () => {
    const process = node('main', {
      id: 'id-make' as TreeNode['id'],
      name: 'make',
      kind: 'process',
      runtime: 'headless',
      command: 'make',
    })
    const session = node('main', {
      id: 'id-asks' as TreeNode['id'],
      name: 'asks',
      kind: 'llm',
      runtime: 'acp',
    })
    const console = drive([process, session], idle)
    console.press('next')
    console.line('yes, all of it')
    await console.settled()
    console.press('next')
    console.line('in ten lines')
    await console.settled()
    expect(console.calls).toEqual([
      'the person: write_stdin {"agent_id":"id-make","data":"yes, all of it"}',
      'the person: send {"to":"id-asks","message":"in ten lines"}',
    ])
    expect(console.view('id-make').notices.map(({ text }) => text)).toEqual(['› yes, all of it'])
    expect(console.view('id-make').sent).toBeNull()
  })

  it('keeps what is typed into a capture that nobody here knew of', async () => {
    const console = drive([a], { scrollback: () => ({ captureLines: 1 }) })
    console.press('next')
    console.line('not for the agent')
    await console.settled()
    expect(console.calls).toEqual([`${a.id}: capture {"begin":false,"text":"not for the agent"}`])
  })

  it('sends nothing where the capture ended meanwhile, and gives the text back', async () => {
    const refuse = (): never => {
      throw new ExomonadError('INVALID_ARG', 'No capture is open.')
    }
    const console = drive([a], { scrollback: () => ({ captureLines: 1 }), capture: refuse })
    console.press('next')
    console.line('not for the agent')
    await console.settled()
    expect(console.calls.some((call) => call.includes('send'))).toBe(false)
    expect(console.view(a.id).draft.text).toBe('not for the agent')
    expect(console.view(a.id).notices.at(-1)?.text).toContain('No capture is open.')
  })

  it('sends nothing to a root without a program, which would be the person’s own inbox', async () => {
    const console = drive([], idle, { pane: null })
    console.line('anybody?')
    await console.settled()
    expect(console.calls).toEqual([])
    expect(console.view('id-main').notices.at(-1)?.text).toContain('exomonad up')
    expect(console.view('id-main').draft.text).toBe('anybody?')
  })

  it('hands to the child what is typed while it is being made', async () => {
    let made = (_: unknown): void => {}
    const console = drive([a], {
      ...idle,
      fork_capture: () => new Promise((resolve) => (made = resolve)),
    })
    console.press('next')
    console.line('/fork kid')
    console.line('for the child')
    await console.settled()
    expect(console.calls).toHaveLength(1)
    const kid = node('main', { id: 'id-kid' as TreeNode['id'], name: 'kid', kind: 'fork' })
    console.grow(kid)
    made({ agent_id: kid.id, name: 'kid', context: 'fresh', warnings: [] })
    await console.settled()
    expect(console.store.get().viewed).toBe(kid.id)
    expect(console.calls.at(-1)).toBe(
      `the person: send {"to":"${kid.id}","message":"for the child"}`,
    )
  })

  it('sends the parent nothing of what was meant for a child that could not be made', async () => {
    const refuse = (): never => {
      throw new ExomonadError('INVALID_ARG', 'There are too many agents.')
    }
    const console = drive([a], { ...idle, fork_capture: refuse })
    console.press('next')
    console.line('/fork kid')
    console.line('for the child')
    await console.settled()
    expect(console.calls).toHaveLength(1)
    expect(lineOf(console.store.get()).text).toBe('for the child\n')
    expect(console.view(a.id).notices.at(-1)?.text).toContain('too many')
  })

  it('waits for several agents at once, and ends the wait of the viewed one alone', async () => {
    const wait = (_: unknown, __: unknown, signal?: AbortSignal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      )
    const console = drive([a, b], { ...idle, wait })
    console.press('next')
    console.line('/wait 30 b')
    console.press('next')
    console.line('/wait 30')
    await console.settled()
    expect(console.calls).toEqual([
      `${a.id}: wait {"timeout":30,"from_agents":["${b.id}"]}`,
      `${b.id}: wait {"timeout":30}`,
    ])
    console.line('not yet')
    await console.settled()
    expect(console.calls).toHaveLength(2)
    expect(console.view(b.id).notices).toEqual([])
    console.press('escape')
    await console.settled()
    expect(lineOf(console.store.get()).text).toBe('not yet')
    console.press('submit')
    await console.settled()
    expect(console.calls.at(-1)).toBe(`the person: send {"to":"${b.id}","message":"not yet"}`)
    expect(Object.keys(console.store.get().waits)).toEqual([a.id])
    expect(console.view(b.id).notices.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('interrupted'),
    )
  })

  it('runs commands during a wait, and leaves all else in the line', async () => {
    const console = drive([a, b], { ...idle, wait: () => new Promise(() => {}) })
    console.press('next')
    console.line('/wait 30')
    console.line('/send b hello')
    await console.settled()
    expect(console.calls.at(-1)).toBe(`the person: send {"to":"${b.id}","message":"hello"}`)
  })

  it('takes a command for one also where it comes in one piece with letters that the dead can’t get', async () => {
    const console = drive([{ ...a, state: 'killed' }, b], idle)
    console.press('next')
    console.type('no command')
    expect(lineOf(console.store.get()).text).toBe('')
    console.line('abc/go b')
    await console.settled()
    expect(console.store.get().viewed).toBe(b.id)
  })

  it('keeps what was half written to an agent that ended', async () => {
    const console = drive([a, b], idle)
    console.press('next')
    console.type('half a thought')
    console.store.dispatch({
      type: 'tree',
      tree: view(node('main', { kind: 'root', children: [{ ...a, state: 'killed' }, b] })),
      at: 1,
    })
    console.press('complete', 'interrupt')
    console.line('/go b')
    await console.settled()
    console.press('up', 'up')
    expect(lineOf(console.store.get()).text).toBe('half a thought')
  })

  it('asks before it ends an agent, whether or not anybody lives below it', async () => {
    const parent = node('main.p', { children: [node('main.p.c')] })
    const console = drive([parent, b], { ...idle, kill: () => ({ killed: [] }) })
    console.line('/kill b')
    expect(console.store.get().ask).toMatchObject({ kind: 'kill', agentId: b.id, below: 0 })
    console.type('n')
    await console.settled()
    expect([console.store.get().ask, console.calls]).toEqual([null, []])
    console.line('/kill p')
    expect(console.store.get().ask).toMatchObject({ agentId: parent.id, below: 1 })
    console.type('y')
    await console.settled()
    expect(console.calls).toEqual([`the person: kill {"agent":"${parent.id}"}`])
  })

  it('lets no piece of input answer what it asks', async () => {
    const console = drive([a], { ...idle, kill: () => ({ killed: [] }) })
    for (const piece of ['/kill a\ry', '/kill a\ry\r']) {
      console.burst(piece)
      await console.settled()
      expect(console.store.get().ask?.kind).toBe('kill')
      console.press('escape')
    }
    expect(console.calls).toEqual([])
    console.burst('hello\r')
    await console.settled()
    expect(console.calls).toHaveLength(1)
  })

  it('takes what is pasted into the line, and for nothing where keys act', () => {
    const console = drive([a], idle)
    console.paste('two\nlines')
    expect(lineOf(console.store.get()).text).toBe('two\nlines')
    console.store.dispatch({ type: 'place', place: 'overview' })
    const before = console.store.get()
    for (const text of ['x', 'q', 'proxy', '/kill a']) console.paste(text)
    expect([console.store.get().ask, console.quits()]).toEqual([null, 0])
    expect(console.store.get().overview.line).toBe(before.overview.line)
    expect(console.view(before.viewed).notices.at(-1)?.text).toContain('Begin a line first')
    console.type(':')
    console.paste('send a x')
    expect(lineOf(console.store.get()).text).toBe(':send a x')
  })

  it('opens nothing over what is asked meanwhile', async () => {
    let read = (_: unknown): void => {}
    const console = drive([a], {
      ...idle,
      inbox: () => new Promise((resolve) => (read = resolve)),
    })
    console.line('/inbox')
    console.line('/kill a')
    read(inboxOf())
    await console.settled()
    expect(console.store.get()).toMatchObject({ overlay: null, ask: { kind: 'kill' } })
  })

  it('answers a question in its place in the inbox', async () => {
    const inbox = inboxOf({
      questions: [{ question_id: 'q-1', agent: 'a', message: 'Tabs?', asked_at: 0 }],
    })
    const console = drive([node('main.a', { open_questions: 1 })], {
      ...idle,
      inbox: () => inbox,
      answer_question: () => ({ status: 'delivered' }),
    })
    console.line('/inbox')
    await console.settled()
    console.press('submit')
    console.line('spaces')
    await console.settled()
    expect(console.calls).toContain(
      `the person: answer_question ${JSON.stringify({ agent: a.id, message: 'spaces', question_id: 'q-1' })}`,
    )
    expect(console.store.get().overlay?.kind).toBe('inbox')
  })

  const approval = (id: string, agent: string) => ({
    approval_id: id,
    agent,
    what: `rm ${id}`,
    requested_at: 0,
  })
  const questionOf = (id: string, agent: string) => ({
    question_id: id,
    agent,
    message: `What of ${id}?`,
    asked_at: 0,
  })

  it('decides what was seen under a number or the cursor, whatever came or went meanwhile', async () => {
    let inbox = inboxOf({ approvals: [approval('p-1', 'a'), approval('p-2', 'b')] })
    const console = drive([a, b], { ...idle, inbox: () => inbox })
    console.line('/inbox')
    await console.settled()
    console.press('down')
    inbox = inboxOf({ questions: [questionOf('q-1', 'a')], approvals: [approval('p-2', 'b')] })
    console.store.dispatch({ type: 'inbox', inbox })
    console.press('submit')
    expect(console.store.get().ask).toMatchObject({ kind: 'approve', approvalId: 'p-2' })
    console.press('escape')
    for (const letter of '/deny 2') console.type(letter)
    inbox = inboxOf({ approvals: [approval('p-2', 'b'), approval('p-3', 'a')] })
    console.store.dispatch({ type: 'inbox', inbox })
    console.press('submit')
    await console.settled()
    expect(console.calls.at(-2)).toBe('the person: deny {"approval_id":"p-2"}')
    console.line('/approve 1')
    await console.settled()
    expect(console.calls.filter((call) => call.includes('approve'))).toEqual([])
    expect(console.view(console.store.get().viewed).notices.at(-1)?.text).toContain(
      '1 is no approval that waits for you',
    )
  })

  it('decides nothing on what took the place of what was selected, until that was to be seen', async () => {
    let inbox = inboxOf()
    const console = drive([a, b], { ...idle, inbox: () => inbox })
    const show = (...approvals: ReturnType<typeof approval>[]): void => {
      inbox = inboxOf({ approvals })
      console.store.dispatch({ type: 'inbox', inbox })
    }
    show(approval('p-1', 'a'), approval('p-2', 'b'))
    console.store.dispatch({ type: 'overlay', overlay: { kind: 'inbox', selected: 0 } })
    show(approval('p-2', 'b'))
    console.type('a')
    console.press('submit')
    await console.settled()
    expect(console.store.get().ask).toBeNull()
    expect(console.calls).toEqual([])
    expect(console.view('id-main').notices.at(-1)?.text).toContain('What was selected is gone')
    console.pass(500)
    console.type('d')
    expect(console.store.get().ask).toMatchObject({ kind: 'deny', what: 'rm p-2' })
    console.press('submit')
    await console.settled()
    expect(console.calls).toContain('the person: deny {"approval_id":"p-2"}')
  })

  it('asks which one is meant where several wait', async () => {
    const inbox = inboxOf({ questions: [questionOf('q-1', 'a'), questionOf('q-2', 'b')] })
    const console = drive([a, b], { ...idle, inbox: () => inbox })
    console.line('/answer yes')
    await console.settled()
    expect(console.calls.filter((call) => call.includes('answer'))).toEqual([])
    expect(console.view('id-main').notices.at(-1)?.text).toContain('2 questions wait')
  })

  it('keeps an answer in the history that has no place any more', async () => {
    let refuse = (_: Error): void => {}
    const inbox = inboxOf({ questions: [questionOf('q-1', 'a')] })
    const console = drive([a], {
      ...idle,
      inbox: () => inbox,
      answer_question: () => new Promise((_resolve, reject) => (refuse = reject)),
    })
    console.line('/inbox')
    await console.settled()
    console.press('submit')
    console.line('a long answer')
    await console.settled()
    console.press('escape')
    refuse(new ExomonadError('INTERNAL', 'The disk is full.'))
    await console.settled()
    expect(console.store.get().ask).toBeNull()
    console.press('up')
    expect(lineOf(console.store.get()).text).toBe('a long answer')
  })

  it('keeps an answer that could not be given', async () => {
    const refuse = (): never => {
      throw new ExomonadError('INTERNAL', 'The disk is full.')
    }
    const inbox = inboxOf({ questions: [questionOf('q-1', 'a')] })
    const console = drive([a], { ...idle, inbox: () => inbox, answer_question: refuse })
    console.line('/inbox')
    await console.settled()
    console.press('submit')
    console.line('a long answer')
    await console.settled()
    expect(lineOf(console.store.get()).text).toBe('a long answer')
  })

  it('marks as read what was shown, and nothing that came since', async () => {
    const news = (...ids: string[]) =>
      inboxOf({
        messages: ids.map((id) => ({ id, kind: 'note', text: id, at: 0, question_id: null })),
      })
    let inbox = news('m-1')
    const console = drive([a], { ...idle, inbox: () => inbox })
    console.line('/inbox')
    await console.settled()
    inbox = news('m-1', 'm-2')
    console.type('c')
    await console.settled()
    const cleared = console.calls.filter((call) => call.includes('"clear":true'))
    expect(cleared).toEqual(['the person: inbox {"clear":true,"seen":["m-1"]}'])
  })

  it('takes a command that is written into the inbox for a command, not for decisions', async () => {
    const inbox = inboxOf({
      approvals: [{ approval_id: 'p-1', agent: 'a', what: 'rm -rf', requested_at: 0 }],
    })
    const console = drive([node('main.a')], { ...idle, inbox: () => inbox })
    console.line('/inbox')
    await console.settled()
    for (const letter of '/cancel') console.type(letter)
    console.press('submit')
    await console.settled()
    expect(console.store.get()).toMatchObject({ overlay: null, ask: null })
    expect(console.calls.filter((call) => /approve|deny|"clear":true/.test(call))).toEqual([])
    expect(console.calls.at(-1)).toContain(': cancel {}')
  })

  it('leaves on Ctrl-C twice, which first clears the line, and on Ctrl-D on an empty one', () => {
    const console = drive([], idle)
    console.type('half')
    console.press('end-of-input', 'interrupt', 'interrupt')
    expect([lineOf(console.store.get()).text, console.quits()]).toEqual(['', 0])
    console.press('interrupt')
    expect(console.quits()).toBe(1)
    console.press('end-of-input')
    expect(console.quits()).toBe(2)
  })
})
