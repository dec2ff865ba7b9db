import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../requirements.ts'
import { openConsole, type Console } from '../../helpers/console.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const HOOKED = join(import.meta.dirname, '..', '..', 'fixtures', 'agents', 'hooked.js')

/** Waits, ends, and what waits for a person, in a real terminal. */
describeWith(['tmux'], 'waiting and deciding in the console', () => {
  let tree: Exomonad
  const open = async (agent: string, rows = 24): Promise<Console> => {
    const opened = await openConsole(tree, { columns: 80, rows, args: [agent] })
    onTestFinished(() => opened.close())
    await opened.until(`a view of ${agent}`, (text) => isOf(agent, text))
    return opened
  }
  /** The first row has the path from the root to the agent; the root goes by its branch. */
  const isOf = (agent: string, text: string): boolean =>
    (agent === 'root' ? /^main(?! ›)/ : new RegExp(`^main › .*\\b${agent} `)).test(text)
  /** Escape, and not the beginning of a key that sends more. */
  const goBack = async (screen: Console): Promise<void> => {
    await screen.key('Escape')
    await screen.until('the input line', (text) => !text.includes('Escape goes back'))
  }
  const shows = (screen: Console, ...parts: readonly (string | RegExp)[]): Promise<string> =>
    screen.until(parts.map(String).join(', '), (text) =>
      parts.every((part) => (typeof part === 'string' ? text.includes(part) : part.test(text))),
    )
  const messages = (agent: string, part: string): number =>
    tree.log(agent).filter(({ kind, text }) => kind === 'message' && String(text).includes(part))
      .length
  const fork = async (name: string, as: string): Promise<any> =>
    tree.call('fork', { name, prompt: 'Be there.', context: 'fresh' }, { as })
  const idle = async (name: string): Promise<void> =>
    void (await waitFor(`${name} to idle`, async () => (await tree.agent(name))?.state === 'idle', {
      limit: 60_000,
      every: 100,
    }))

  beforeAll(async () => {
    tree = await startExomonad({ init: false })
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    const asking = `[agents.asking]
adapter = "claude"
command = [${JSON.stringify(process.execPath)}, ${JSON.stringify(HOOKED)}]
env = { SCRIPTED_AGENTS = ${JSON.stringify(tree.scripts)} }
[roles.dev.permissions]
policy = "ask"`
    writeFileSync(config, `${readFileSync(config, 'utf8')}\n${asking}\n`)
    expect((await tree.command(['init', '--no-prepare-agents'])).code).toBe(0)
    tree.script('default', {
      on: [
        {
          match: 'report (\\w+)',
          steps: [
            {
              do: 'tool',
              name: 'send',
              input: { to: '${env.EXOMONAD_PARENT_ID}', message: 'the report: ${message.text}' },
            },
          ],
        },
        {
          match: 'ask the human',
          steps: [
            {
              do: 'tool',
              name: 'question',
              input: { message: 'Tabs or spaces?', timeout: 600 },
              as: 'asked',
            },
          ],
        },
      ],
    })
    await tree.run(['up', 'Lead.'])
    for (const name of ['lead', 'other']) await fork(name, 'root')
    for (const name of ['reader', 'writer', 'tester', 'scratch']) await fork(name, 'lead')
    for (const name of ['lead', 'other', 'reader', 'writer', 'tester', 'scratch']) await idle(name)
  })
  afterAll(async () => {
    await tree?.stop()
  })

  it(
    verifies(
      'R000-11',
      'waits for the viewed agent alone, shows that it does, and writes down what came',
    ),
    async () => {
      const screen = await open('lead')
      await screen.line('/wait 600')
      await shows(screen, /waiting/i)
      // Its input is closed meanwhile; that of others is not.
      await screen.type('not now')
      await screen.key('C-u')
      await screen.line('/go other')
      await screen.until('another agent', (text) => isOf('other', text))
      await screen.line('said meanwhile')
      await waitFor('it to arrive', () => messages('other', 'said meanwhile') === 1)
      expect(messages('lead', 'not now')).toBe(0)
      await screen.line('/go lead')
      await shows(screen, /waiting/i)
      await tree.call('send', { to: 'reader', message: 'report alpha' })
      const result = await shows(screen, 'the report: ', 'report alpha')
      expect(result).toContain('reader')
      // Taken out of the mailbox, and to be seen by whoever looks later.
      expect((await tree.call('check_mail', { peek: true }, { as: 'lead' })).messages).toEqual([])
      await shows(await open('lead'), 'report alpha')
      await screen.line('open again')
      await waitFor('it to arrive', () => messages('lead', 'open again') === 1)
    },
  )

  it(verifies('R000-11', 'ends a wait on Escape, and its mail stays'), async () => {
    const screen = await open('lead')
    await screen.line('/wait 600')
    await shows(screen, /waiting/i)
    await screen.key('Escape')
    await shows(screen, /interrupted/i)
    await tree.call('send', { to: 'reader', message: 'report beta' })
    await waitFor(
      'the mail',
      async () =>
        (await tree.call('check_mail', { peek: true }, { as: 'lead' })).messages.length === 1,
      { limit: 60_000 },
    )
    await screen.line('/wait 0')
    await shows(screen, 'report beta')
  })

  it(verifies('R000-12', 'shows how those stand that are waited for, as it changes'), async () => {
    await tree.call('kill', { agent: 'scratch' })
    const screen = await open('lead', 40)
    // A message that it did not read yet keeps it from counting as idle.
    tree.script('slow', {
      on: [{ match: 'begin', steps: [{ do: 'file', path: `${tree.scripts}/go-on` }] }],
    })
    await fork('slow', 'lead')
    await idle('slow')
    await tree.call('send', { to: 'slow', message: 'begin' })
    await waitFor('it to run', async () => (await tree.agent('slow')).state === 'running', {
      limit: 60_000,
    })
    await screen.line('/wait 600 reader slow scratch tester')
    const rows = (
      await shows(
        screen,
        /slow +◐ running +\d+ calls? +\S+ tokens/,
        /scratch +✗ dead/,
        /tester +○ idle/,
      )
    ).split('\n')
    const first = rows.findIndex((row) => /◐ running|○ idle/.test(row))
    const spinner = rows.findIndex((row) => /Waiting for/.test(row))
    expect(first).toBeGreaterThan(0)
    expect(spinner).toBeGreaterThan(first)
    await tree.call('send', { to: 'reader', message: 'report gamma' })
    await shows(screen, /reader +✓ received/)
    writeFileSync(`${tree.scripts}/go-on`, '')
    await screen.until(
      'the end of the wait',
      (text) => text.includes('report gamma') && !/◐ running/.test(text),
    )
  })

  it(
    verifies(
      'R000-14',
      verifies('R000-15', 'keeps the dead to be looked at, without an input, until /reap'),
    ),
    async () => {
      await fork('doomed', 'other')
      await idle('doomed')
      const screen = await open('doomed')
      await shows(screen, 'doomed ready')
      await screen.line('/kill')
      await shows(screen, 'Kill doomed? y: yes')
      await screen.type('y')
      await shows(screen, 'doomed ready', /✗ killed/)
      await screen.line('are you still there')
      await screen.line('/parent')
      await screen.until('its parent', (text) => isOf('other', text))
      await screen.line('/child')
      const dead = await shows(screen, 'doomed ready', /✗ killed/)
      expect(dead).not.toContain('are you still there')
      expect(messages('doomed', 'are you still there')).toBe(0)
      await screen.line('/reap')
      await screen.until('a living agent', (text) => isOf('root', text))
      await screen.line('/go doomed')
      await screen.until('that it is not in the rotation', (text) => !isOf('doomed', text))
      expect((await tree.agent('doomed'))?.state ?? 'killed').toBe('killed')
      // On record still.
      expect((await tree.call('screen', { agent: 'doomed', lines: 50 })).text).toContain(
        'doomed ready',
      )
    },
  )

  it('answers what waits for a person where it stands', async () => {
    const screen = await open('root')
    // The root’s own question is a person’s.
    await tree.call('send', { to: 'root', message: 'ask the human' })
    await waitFor('the question', async () => (await tree.call('inbox')).questions.length === 1, {
      limit: 60_000,
    })
    await screen.line('/inbox')
    await shows(screen, 'Tabs or spaces?')
    await goBack(screen)
    await screen.line('/answer spaces, please')
    await waitFor(
      'the answer',
      () =>
        tree
          .log('root')
          .find(
            ({ kind, name, answer }) =>
              kind === 'tool' && name === 'question' && answer?.answer === 'spaces, please',
          ),
      { limit: 60_000 },
    )
    expect((await tree.call('inbox')).questions).toEqual([])
  })

  it('approves and denies what agents ask for', async () => {
    tree.script('asker', {
      steps: ['make clean', 'make install'].map((command) => ({
        do: 'ask',
        name: 'Bash',
        input: { command },
      })),
    })
    await tree.call('spawn_workers', {
      specs: [{ name: 'asker', prompt: 'Ask.', agent: 'asking' }],
    })
    const decisions = (): string =>
      JSON.stringify(tree.log('asker').filter(({ event }) => event === 'PermissionRequest'))
    const screen = await open('root')
    await screen.line('/inbox')
    await shows(screen, 'asker', 'make clean')
    await goBack(screen)
    await screen.line('/approve')
    await waitFor('the approval', () => decisions().includes('"allow"'), { limit: 60_000 })
    await screen.line('/inbox')
    await shows(screen, 'make install')
    await goBack(screen)
    await screen.line('/deny not here')
    await waitFor('the refusal', () => decisions().includes('"deny"'), { limit: 60_000 })
    expect(decisions()).toContain('not here')
    expect((await tree.call('inbox')).approvals).toEqual([])
  })

  it('decides in the inbox itself, by Enter, a and d', async () => {
    tree.script('keen', {
      steps: ['make docs', 'make purge'].map((command) => ({
        do: 'ask',
        name: 'Bash',
        input: { command },
      })),
    })
    const screen = await open('root')
    await screen.line('/inbox clear')
    await shows(screen, 'Nothing waits for you')
    await tree.call('send', { to: 'root', message: 'ask the human' })
    await shows(screen, 'Tabs or spaces?', 'Enter: answer it here')
    await screen.key('Enter')
    await shows(screen, 'answer to root')
    await screen.line('tabs, in place')
    await waitFor(
      'the answer',
      () =>
        tree
          .log('root')
          .some(({ kind, answer }) => kind === 'tool' && answer?.answer === 'tabs, in place'),
      { limit: 60_000 },
    )
    await tree.call('spawn_workers', { specs: [{ name: 'keen', prompt: 'Ask.', agent: 'asking' }] })
    const decisions = (): string =>
      JSON.stringify(tree.log('keen').filter(({ event }) => event === 'PermissionRequest'))
    const select = async (what: string): Promise<void> => {
      await shows(screen, what)
      await screen.key('Up', 'Up', 'Up')
      await shows(screen, 'd: deny')
    }
    await select('make docs')
    await screen.type('a')
    await shows(screen, 'approve what keen asks')
    await screen.key('Enter')
    await waitFor('the approval', () => decisions().includes('"allow"'), { limit: 60_000 })
    await select('make purge')
    // It took the place of the one before, and no key counts until that can have been seen.
    await waitFor('the question why', async () => {
      await screen.type('d')
      return (await screen.screen()).includes('deny what keen asks')
    })
    await screen.line('too much')
    await waitFor('the refusal', () => decisions().includes('too much'), { limit: 60_000 })
    await screen.until('nothing to decide', (text) => !text.includes('d: deny'))
  })

  it('sends to others, and says what can be typed', async () => {
    const screen = await open('other')
    await screen.line('/send tester from beside')
    await waitFor('it to arrive', () => messages('tester', 'from beside') === 1, { limit: 60_000 })
    expect(messages('other', 'from beside')).toBe(0)
    await screen.line('/help')
    await shows(screen, '/fork', '/capture', '/reap')
    await goBack(screen)
    await screen.line('/nonsense')
    await shows(screen, /nonsense/)
    expect(messages('other', 'nonsense')).toBe(0)
    await screen.key('Up', 'Up')
    await screen.until('an earlier line', (text) =>
      text.split('\n').slice(-2).join('\n').includes('/help'),
    )
    await screen.key('C-c')
    await screen.key('C-c', 'C-c')
    expect(await screen.ended()).toBe(0)
  })
})
