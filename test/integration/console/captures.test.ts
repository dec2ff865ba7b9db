import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { verifies } from '../../requirements.ts'
import { openConsole, type Console } from '../../helpers/console.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { startShowing, type Showing } from '../../helpers/terminals/showing.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** What a person writes beside an agent, and the children that come of it. */
describeWith(['tmux'], 'captures in the console', () => {
  let showing: Showing
  const open = async (agent: string): Promise<Console> => {
    const opened = await openConsole(showing.tree, { columns: 80, rows: 24, args: [agent] })
    onTestFinished(() => opened.close())
    await opened.until(`a view of ${agent}`, (text) => text.includes(`${agent} is here`))
    return opened
  }
  const shows = (screen: Console, ...parts: readonly string[]): Promise<string> =>
    screen.until(parts.join(', '), (text) => parts.every((part) => text.includes(part)))

  beforeAll(async () => {
    showing = await startShowing({ multiplexer: 'tmux' })
    for (const name of ['holder', 'keeper', 'starter']) await showing.fork(name)
  })
  afterAll(async () => {
    await showing?.stop()
  })

  it(
    verifies(
      'R000-04',
      verifies('R000-16', 'keeps captured lines from the agent, and starts a child with them'),
    ),
    async () => {
      const screen = await open('holder')
      await screen.line('/capture')
      await shows(screen, 'capture')
      await screen.line('Enumerate the files,')
      await screen.line('count their words.')
      await shows(screen, 'Enumerate the files,', 'count their words.')
      await screen.line('/fork enumerator')
      await shows(screen, 'enumerator is here')
      expect((await screen.rows())[0]).toContain('enumerator')
      expect(showing.task('enumerator')).toContain('Enumerate the files,\ncount their words.')
      // The capture is over: what is typed to its parent now arrives, and nothing else did.
      await screen.line('/parent')
      await shows(
        screen,
        'holder is here',
        'Enumerate the files,',
        'count their words.',
        'enumerator',
      )
      await screen.line('a word for you')
      await shows(screen, 'input: [MESSAGE] from the human: a word for you')
      expect(showing.typed('holder')).toEqual(['[MESSAGE] from the human: a word for you'])
    },
  )

  it(verifies('R000-04', 'starts an idle child without a capture, and shows it'), async () => {
    const screen = await open('starter')
    await screen.line('/fork idler')
    await shows(screen, 'idler is here')
    expect((await screen.rows())[0]).toContain('idler')
    await screen.line('begin now')
    await shows(screen, 'input: [MESSAGE] from the human: begin now')
    expect(showing.typed('idler')).toEqual(['[MESSAGE] from the human: begin now'])
    expect(showing.typed('starter')).toEqual([])
  })

  it(verifies('R000-16', 'leaves a capture that was given up on the screen'), async () => {
    const screen = await open('starter')
    await screen.line('/capture')
    await screen.line('not after all')
    await shows(screen, 'not after all')
    await screen.line('/cancel')
    await screen.line('this is said')
    await shows(screen, 'not after all', 'input: [MESSAGE] from the human: this is said')
    expect(showing.typed('starter')).toEqual(['[MESSAGE] from the human: this is said'])
    const again = await open('starter')
    await shows(again, 'not after all')
  })

  it(
    verifies(
      'R000-16',
      'keeps a capture, and keeps it from the agent, when the daemon is killed in it',
    ),
    async () => {
      const screen = await open('keeper')
      await screen.line('/capture')
      await screen.line('first of the capture')
      // On the screen it is while it is typed.
      await waitFor(
        'it to be kept',
        async () =>
          (await showing.tree.call('scrollback', { agent: 'keeper' })).capture_lines === 1,
      )
      await showing.tree.crash()
      await showing.tree.call('tree')
      await waitFor(
        'the capture to go on',
        async () =>
          (await showing.tree.call('scrollback', { agent: 'keeper' })).capture_lines === 1,
      )
      await screen.line('second of the capture')
      await waitFor(
        'the second line',
        async () =>
          (await showing.tree.call('scrollback', { agent: 'keeper' })).capture_lines === 2,
      )
      await shows(screen, 'first of the capture', 'second of the capture')
      const again = await open('keeper')
      await shows(again, 'first of the capture', 'second of the capture')
      await again.line('third of the capture')
      await shows(screen, 'third of the capture')
      await again.line('/fork kept')
      await shows(again, 'kept is here')
      expect(showing.task('kept').match(/^.*of the capture$/gm)).toEqual([
        'first of the capture',
        'second of the capture',
        'third of the capture',
      ])
      expect(showing.typed('keeper')).toEqual([])
    },
  )
})
