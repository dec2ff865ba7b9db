import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openConsole, type Console } from '../../helpers/console.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { startShowing, type Showing } from '../../helpers/terminals/showing.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** How the console comes by its terminal, gives it away, and leaves it. */
describeWith(['tmux'], 'the terminal of the console', () => {
  let showing: Showing
  const open = (...args: readonly string[]): Promise<Console> => openIn({}, ...args)
  const openIn = async (
    env: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<Console> => {
    const opened = await openConsole(showing.tree, { columns: 80, rows: 24, args, env })
    onTestFinished(() => opened.close())
    return opened
  }

  beforeAll(async () => {
    showing = await startShowing({ multiplexer: 'tmux' })
    await showing.fork('shown')
  })
  afterAll(async () => {
    await showing?.stop()
  })

  it('gives the terminal to the agent’s own with every key, and takes it back', async () => {
    const screen = await open('shown')
    await screen.until('the agent', (text) => text.includes('shown is here'))
    await screen.line('/attach')
    await screen.until(
      'the agent’s terminal',
      (text) => text.includes('shown is here') && text.includes('C-b w: tree'),
    )
    await screen.line('typed into it')
    await waitFor('it to arrive', () => showing.typed('shown').includes('typed into it'), {
      limit: 60_000,
    })
    await screen.key('C-b')
    await screen.key('d')
    await screen.until(
      'the console again',
      (text) => text.startsWith('main › shown') && text.includes('input: typed into it'),
    )
    await screen.type('and on')
    await screen.until('what is typed, and nothing else', (text) =>
      text.trimEnd().endsWith('› and on'),
    )
  })

  it('is drawn in ASCII where the locale has no more, as is the tree', async () => {
    const env = { LC_ALL: 'C' }
    const screen = await openIn(env, 'shown')
    await screen.until(
      'the agent',
      (text) => text.startsWith('main > shown') && text.includes('shown is here'),
    )
    expect(screen.raw()).toMatch(/^[\x00-\x7f]*$/)
    const tree = await showing.tree.command(['tree'], { env })
    expect(tree).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[\x00-\x7f]*$/) })
    expect(tree.stdout).toMatch(/\n[`|]- \S*shown/)
  })

  it('takes several pasted lines as one text', async () => {
    const screen = await open('shown')
    await screen.until('the agent', (text) => text.includes('shown is here'))
    await screen.type('\u001b[200~one line\nand one more\u001b[201~')
    await screen.until('both lines', (text) => text.trimEnd().endsWith('› one line↵and one more'))
    expect(showing.typed('shown').some((line) => line.includes('one line'))).toBe(false)
  })

  it('says that the daemon is away, and goes on with the next one', async () => {
    const screen = await open('shown')
    await screen.until('the agent', (text) => text.includes('shown is here'))
    await showing.tree.crash()
    await screen.until(
      'that it is away',
      (text) => text.includes('The daemon doesn’t answer') && text.includes('shown is here'),
    )
    await showing.tree.call('tree')
    await screen.until('that it is back', (text) => !text.includes('The daemon doesn’t answer'))
    await screen.line('still there')
    await waitFor(
      'it to arrive',
      () => showing.typed('shown').some((line) => line.endsWith('still there')),
      { limit: 60_000 },
    )
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)('leaves the terminal as it was on %s', async (signal) => {
    const screen = await open('shown')
    await screen.until('the agent', (text) => text.includes('shown is here'))
    process.kill(childOf(Number(await screen.pane('#{pane_pid}'))), signal)
    expect(await screen.ended()).toBe(0)
    expect(await screen.pane('#{alternate_on} #{cursor_flag}')).toBe('0 1')
    expect(await screen.screen()).toMatch(/(?<!-)icanon/)
  })

  it('is gone when its terminal is', async () => {
    const screen = await open('shown')
    await screen.until('the agent', (text) => text.includes('shown is here'))
    const pid = childOf(Number(await screen.pane('#{pane_pid}')))
    await screen.close()
    await waitFor('its end', () => !readdirSync('/proc').includes(String(pid)), { limit: 60_000 })
  })

  it('names what there is without a terminal, and is not for agents', async () => {
    const piped = await showing.tree.run(['console'])
    expect(piped.code).toBe(2)
    expect(piped.stderr).toMatch(/needs a terminal.*exomonad tree.*capture.*--json/s)
    const dumb = await showing.tree.run(['console'], { env: { TERM: 'dumb' } })
    expect(dumb.code).toBe(2)
    expect(dumb.stderr).toContain('TERM is `dumb`')
    const agent = await showing.tree.run(['console'], { env: { EXOMONAD_AGENT_ID: 'some-agent' } })
    expect(agent.code).toBe(1)
    expect(agent.stderr).toContain('NOT_ALLOWED')
  })
})

/** The process that a process started, of which there is one. */
function childOf(parent: number): number {
  const child = readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && parentOf(pid) === parent)
  if (child === undefined) throw new Error(`Process ${parent} has no child`)
  return Number(child)
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1])
  } catch {
    return undefined
  }
}
