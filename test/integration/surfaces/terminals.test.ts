import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { repositoryHash } from '../../../src/runtime/paths.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { openTerminal, type PageTerminal } from '../../helpers/terminals/page-terminal.ts'
import { hasTool } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** Agents that are a shell: what is typed is run. */
const SHELL = String.raw`
[agents.shell]
adapter = "command"
command = ["/bin/sh", "-c", "printf '\\033[31mred\\033[0m ready\\n'; exec env PS1='$ ' sh"]
`

describe.skipIf(!hasTool('tmux'))('terminals of the page', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad({ multiplexer: 'tmux', roles: { dev: 'shell' }, config: SHELL })
    await tree.call('spawn_workers', { specs: [{ name: 'shell', prompt: 'x' }] })
  })
  afterAll(() => tree.stop())

  const open = async (
    agent: string,
    options?: Parameters<typeof openTerminal>[2],
  ): Promise<PageTerminal> => {
    const terminal = await openTerminal(tree, agent, options)
    onTestFinished(() => terminal.end())
    return terminal
  }
  const tmux = async (...args: string[]): Promise<string> => {
    const common = await tree.repository.git(
      ...['rev-parse', '--path-format=absolute', '--git-common-dir'],
    )
    return execFileSync('tmux', ['-L', `exomonad-${repositoryHash(common)}`, ...args], {
      encoding: 'utf8',
      env: { ...tree.repository.env },
    })
  }
  const views = async (): Promise<string[]> =>
    (await tmux('list-clients', '-F', '#{session_name}')).match(/^view-\S+/gm) ?? []

  it('are looked at first, and typed in once asked; all see it, and nothing is left of one that is closed', async () => {
    const [person, onlooker] = [await open('shell'), await open('shell')]
    await person.sees('red ready')
    expect(person.said('opened')).toMatchObject([
      { mode: 'look', kind: 'terminal', may_type: true },
    ])
    person.type('echo not yet\r')
    await person.toType()
    person.type('echo typed by hand\r')
    await onlooker.sees('\ntyped by hand')
    await waitFor('the lead', () => person.said('state').at(-1)?.leads === 'this')
    // Who leads is known first, and the size that follows from it comes in a state of its own.
    await waitFor('another’s, and its size', () => {
      const { leads, columns, rows } = onlooker.said('state').at(-1) ?? {}
      return leads === 'other' && columns === 100 && rows === 30
    })
    expect(onlooker.text()).not.toContain('not yet')
    person.say({ type: 'look' })
    await waitFor('looking', () => person.said('opened').length === 3)
    person.type('echo no more\r')
    for (const one of [person, onlooker]) one.end()
    await waitFor('no client', async () => (await views()).length === 0)
    expect((await tree.call('screen', { agent: 'shell' })).text).not.toContain('no more')
  })

  it('have a history with its colours, and no other escape sequence', async () => {
    const person = await open('shell')
    await person.toType(80, 24)
    person.type(
      String.raw`seq 1 60; printf '\033]0;title\a\033]52;c;aGk=\a\033[1mbold\033[0m\n'` + '\r',
    )
    await person.sees('bold')
    const screen = await waitFor('the history', async () => {
      const found = await tree.call('screen', { agent: 'shell', styled: true })
      return found.text.includes('\nbold') && found
    })
    expect(screen.text).toMatch(/^red ready\n/)
    expect(screen.styled_text).toMatch(/\u001B\[31mred/)
    expect(screen.styled_text).toMatch(/\n\u001B\[1mbold/)
    expect(screen.styled_text.replace(/\u001B\[[0-9;:]*m/g, '')).not.toContain('\u001B')
  })

  it('are for people alone, and for agents that are there', async () => {
    const person = await open('shell')
    await person.toType()
    person.type('echo "its $EXOMONAD_TOKEN."\r')
    const token = await waitFor('a token', () => /^its (\S+)\.$/m.exec(person.text())?.[1])
    const agent = await open('shell', { token })
    expect(await agent.status).toBe(403)
    const nobody = await open('nobody')
    await nobody.closed
    expect(nobody.said('error')).toMatchObject([{ code: 'AGENT_NOT_FOUND' }])
  })

  it('give no more than is shown: a flood waits, and its end is there at once', async () => {
    const [still, person] = [await open('shell', { shows: false }), await open('shell')]
    await person.toType()
    person.type('seq 1 700000; echo flood is over\r')
    await person.sees('\nflood is over')
    const before = still.bytes
    // It wrote 4.8 MB. Pipes and one more chunk may be on their way.
    expect(before).toBeLessThan(1_000_000)
    still.say({ type: 'shown', bytes: before })
    await still.sees('flood is over')
  })

  it('show what has no terminal, live, and that it ended', async () => {
    const over = join(tree.repository.folder, 'over')
    const { agent_id: task } = await tree.call('spawn_background_task', {
      command: `echo begun; until [ -e ${over} ]; do sleep 0.05; done; echo counted`,
    })
    const person = await open(task)
    await person.sees('begun')
    expect(person.said('opened')).toMatchObject([{ kind: 'output', mode: 'look' }])
    writeFileSync(over, '')
    await person.sees('counted')
    await person.closed
    expect(person.said('ended')).toMatchObject([{ reason: expect.stringMatching(/exit code 0/) }])
  })

  it('leave nothing behind when the daemon is killed, and come back with it', async () => {
    const person = await open('shell')
    await person.toType()
    await person.sees('$')
    // Those of the tests before go a moment after their sockets.
    await waitFor('its client, and no other', async () => (await views()).length === 1)
    await tree.crash()
    await person.closed
    await waitFor('no client', async () => (await views()).length === 0)
    await tree.call('tree')
    const again = await open('shell')
    await again.sees('$')
  })
})
