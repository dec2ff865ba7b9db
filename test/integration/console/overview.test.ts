import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { displayWidth } from '../../../src/surfaces/text/width.ts'
import { openConsole, type Console, type ConsoleOptions } from '../../helpers/console.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** The list of all that is there, its previews and the review of a diff, in a real terminal. */
describeWith(['tmux'], 'the overview of the console', () => {
  let tree: Exomonad
  const open = async (options: ConsoleOptions = {}): Promise<Console> => {
    const opened = await openConsole(tree, options)
    onTestFinished(() => opened.close())
    return opened
  }
  const shows = (screen: Console, ...parts: readonly (string | RegExp)[]): Promise<string> =>
    screen.until(parts.map(String).join(', '), (text) =>
      parts.every((part) => (typeof part === 'string' ? text.includes(part) : part.test(text))),
    )
  /** The row that the keys are for, from the sign in front of it to its end. */
  const selects = (screen: Console, what: RegExp): Promise<string> =>
    screen.until(`${what} to be selected`, (text) =>
      text.split('\n').some((row) => row.startsWith('▶') && what.test(row)),
    )
  const pulls = async (): Promise<any[]> => (await tree.call('pr_list')).pull_requests
  const pullOf = (name: string): Promise<number> =>
    waitFor(
      `the pull request of ${name}`,
      async () =>
        (await pulls()).find(({ head_branch: branch }) => branch === `main.${name}`)?.number,
      { limit: 60_000 },
    )

  beforeAll(async () => {
    tree = await startExomonad()
    const files = (name: string, lines: readonly string[]) => ({
      steps: [
        { do: 'write', path: `${name}.ts`, content: `${lines.join('\n')}\n` },
        { do: 'commit', message: `Add ${name}` },
        { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'As asked.' } },
      ],
    })
    const lines = ['first line', 'second line', 'third line']
    tree.script('login', {
      ...files('login', lines),
      on: [{ match: 'one more', ...files('login', [...lines, 'fourth line']) }],
    })
    tree.script('ready', files('ready', ['all of it']))
    tree.script('asker', {
      steps: [
        {
          do: 'tool',
          name: 'question',
          input: { message: 'Tabs or spaces?', timeout: 600 },
          as: 'asked',
        },
      ],
    })
    const { errors } = await tree.call('spawn_workers', {
      specs: [
        { name: 'login', prompt: 'Write the login, with all its words.' },
        { name: 'ready', prompt: 'Be ready.' },
        { name: 'asker', prompt: 'Ask.' },
      ],
    })
    expect(errors).toEqual([])
    for (const name of ['login', 'ready']) await pullOf(name)
    await waitFor(
      'all that needs a person',
      async () => (await tree.call('inbox')).items.length >= 3,
      { limit: 60_000 },
    )
  })
  afterAll(async () => {
    await tree?.stop()
  })

  it.each([
    [80, 24],
    [200, 50],
  ])('opens on what needs the person, with a preview (%i×%i)', async (columns, rows) => {
    const screen = await open({ columns, rows })
    const text = await shows(
      screen,
      /items need you/,
      'asker asks: Tabs or spaces?',
      /├─ login|└─ login/,
      '[1 Terminal]',
      '? keys',
    )
    for (const row of text.split('\n')) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
    expect(await screen.rows()).toHaveLength(rows)
    await screen.type('/login')
    await screen.key('Enter')
    await selects(screen, /login/)
    await screen.key('Down', 'Down')
    await selects(screen, /login .*#\d/)
    await screen.type('3')
    await shows(screen, '[3 Task]', 'Write the login, with all its words.')
    await screen.type('2')
    await shows(screen, '[2 Diff]', /1 \+ first line/)
    await screen.type('4')
    await shows(screen, '[4 Timeline]', /opened|filed/)
    await screen.type('5')
    await shows(screen, '[5 Mail]', 'No mail of other agents')
    await screen.key('Escape')
    await shows(screen, /├─ (asker|ready)|└─ (asker|ready)/)
    await screen.type('q')
    expect(await screen.ended()).toBe(0)
    expect(await screen.pane('#{alternate_on} #{cursor_flag} #{mouse_any_flag}')).toBe('0 1 0')
  })

  it('shows keys, tabs and what is selected without colours too', async () => {
    const screen = await open({ env: { NO_COLOR: '1' } })
    await shows(screen, '▸ Needs you', '[1 Terminal]')
    await screen.key('Tab')
    await shows(screen, '▸[1 Terminal]')
    // oxlint-disable-next-line no-control-regex -- colours are what this is about
    expect(await screen.coloured()).not.toMatch(/\u001b\[3[0-7]m/)
    await screen.type('?')
    await shows(screen, 'In the overview', 'PgUp PgDn')
    await screen.key('Escape')
    await shows(screen, '▸[1 Terminal]')
  })

  it('answers a question where it stands', async () => {
    const screen = await open()
    await screen.type('/asks')
    await screen.key('Enter')
    await selects(screen, /asker asks/)
    await screen.key('Enter')
    await shows(screen, 'answer to asker')
    await screen.line('spaces, of course')
    await tree.logged('asker', 'the answer', ({ kind, answer }) =>
      kind === 'tool' ? answer?.answer === 'spaces, of course' : false,
    )
    await screen.until('the item to be gone', (text) => !text.includes('asker asks'))
  })

  it('reviews a diff: hunks, a comment on a range, changes requested', async () => {
    const number = await pullOf('login')
    const screen = await open()
    await screen.line('/go login')
    await selects(screen, /login/)
    await screen.type('d')
    await shows(screen, `#${number} · 1 file · login.ts`, '1 + first line', '3 + third line')
    expect(await screen.coloured()).toMatch(/\u001b\[32m.*first line/)
    await screen.type('njvjc')
    await shows(screen, 'comment on lines 1–2')
    await screen.line('why these two?')
    await shows(screen, '1 comment not sent', 'lines 1–2: why these two?')
    // What is not sent is neither lost nor left behind unasked.
    await screen.key('Escape')
    await selects(screen, /login/)
    await screen.type('q')
    await shows(screen, '1 comment not sent: leave all the same?')
    await screen.type('n')
    await screen.until('the question to be gone', (text) => !text.includes('y: yes'))
    await screen.type('d')
    await shows(screen, 'lines 1–2: why these two?')
    await screen.type('s')
    await shows(screen, 'a: approve · r: request changes · c: comment')
    await screen.type('r')
    await shows(screen, `request changes of #${number} with 1 comment`)
    await screen.line('Not yet.')
    await shows(screen, `Requested changes of #${number}`)
    const { reviews } = await tree.call('pr_show', { pr_number: number })
    expect(reviews).toMatchObject([
      {
        state: 'changes_requested',
        body: 'Not yet.',
        comments: [{ path: 'login.ts', start_line: 1, line: 2, body: 'why these two?' }],
      },
    ])
  })

  it('shows in the preview what was pushed since', async () => {
    const screen = await open({ columns: 120, rows: 40 })
    await screen.line('/go login')
    await selects(screen, /login/)
    await screen.type('2')
    await shows(screen, '3 + third line')
    await screen.line('/send login one more')
    await shows(screen, '4 + fourth line')
  })

  it('merges what is ready, and asks once', async () => {
    const number = await pullOf('ready')
    const state = async (): Promise<string> =>
      (await tree.call('pr_show', { pr_number: number })).state
    const screen = await open()
    await screen.type('/ready merged')
    await screen.key('Enter')
    await selects(screen, new RegExp(`#${number} .*can be merged`))
    await screen.key('Enter')
    await shows(screen, `Merge #${number} (Add ready)?`)
    await screen.key('Enter')
    await screen.until('the question to be gone', (text) => !text.includes('y: yes'))
    expect(await state()).toBe('open')
    await screen.key('Enter')
    await shows(screen, `Merge #${number} (Add ready)?`)
    await screen.type('y')
    await waitFor('the merge', async () => (await state()) === 'merged', { limit: 60_000 })
    await screen.until('the item to be gone', (text) => !text.includes('can be merged'))
  })

  it('waits from the list, shows that, and keeps what is typed meanwhile', async () => {
    const screen = await open()
    await screen.line('/go asker')
    await selects(screen, /asker/)
    await screen.line('/wait 600')
    await selects(screen, /asker +◇ waiting/)
    await screen.key('Enter')
    await shows(screen, /Waiting for the next message/)
    await screen.line('kept for later')
    await shows(screen, '› kept for later', 'kept until the wait is over')
    expect(JSON.stringify(tree.log('asker'))).not.toContain('kept for later')
    await screen.key('Escape')
    await screen.until('the end of the wait', (text) => !text.includes('Waiting for'))
    await shows(screen, '› kept for later')
    await screen.key('Enter')
    await tree.logged(
      'asker',
      'the message',
      ({ kind, text }) => kind === 'message' && String(text).includes('kept for later'),
    )
    await screen.key('Escape')
    await selects(screen, /asker/)
  })

  it('runs the commands of the conversation, and ends an agent after asking', async () => {
    const screen = await open()
    await screen.line('/go asker')
    await selects(screen, /asker/)
    // Its letters neither move nor decide anything.
    await screen.line('/send ready hello from the list')
    await tree.logged(
      'ready',
      'the message',
      ({ kind, text }) => kind === 'message' && String(text).includes('hello from the list'),
    )
    await screen.type('x')
    await shows(screen, 'Kill asker? y: yes')
    await screen.type('y')
    await waitFor('its end', async () => (await tree.agent('asker'))?.state === 'killed', {
      limit: 60_000,
    })
    await screen.line('/reap')
    await screen.until('the dead to be out of sight', (text) => !/─ asker/.test(text))
    await screen.line('/go ready')
    await selects(screen, /ready/)
    await screen.line('/capture')
    await shows(screen, '┊ ')
    await screen.line('for a child')
    await screen.line('/fork kid')
    await shows(screen, /kid/)
    await waitFor('the child', async () => await tree.agent('kid'), { limit: 60_000 })
  })
})
