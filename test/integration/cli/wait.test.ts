import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { openTerminal } from '../../helpers/terminals/terminal.ts'
import { waitFor } from '../../helpers/wait-for.ts'

const LIMIT = { limit: 60_000 }

let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad()
  tree.script('busy', { steps: [{ do: 'file', path: 'never' }] })
  tree.script('teller', {
    steps: [
      { do: 'file', path: join(tree.scripts, 'report') },
      {
        do: 'tool',
        name: 'send',
        input: { to: '${env.EXOMONAD_PARENT_ID}', message: 'found: 日本語' },
      },
    ],
  })
  tree.script('idler', { steps: [] })
  tree.script('goner', { steps: [] })
})
afterAll(() => tree?.stop())

describeWith(['tmux'], 'exomonad fork, wait and mail', () => {
  it('fork returns the child, in words and as JSON', async () => {
    expect(
      (await tree.run(['fork', 'busy', 'Search', 'on', '--context', 'fresh', '--json'])).json,
    ).toMatchObject({
      name: 'busy',
      context: 'fresh',
      warnings: [],
    })
    for (const name of ['teller', 'idler']) {
      expect(
        await tree.run(['fork', name, '-', '--context', 'fresh'], { input: 'Do it.\n' }),
      ).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`Forked ${name} `),
      })
    }
    expect((await tree.run(['fork', 'goner', '--json'])).json).toMatchObject({
      name: 'goner',
      captured: false,
    })
    await tree.run(['kill', 'goner'])
  })

  it('wait shows on a terminal how the agents stand, live, and then what came of it; Ctrl-C leaves the mail where it was', async () => {
    await waitFor('the idle one', async () => (await tree.agent('idler')).state === 'idle', LIMIT)
    const terminal = await openTerminal(tree)
    await terminal.line('exomonad wait 1h busy teller idler goner')
    // As a whole: a look may fall into the middle of a redraw.
    await terminal.until(
      'the status layer',
      /^ {2}busy {6}◐ running +\d+ calls? +\S+ tokens\n {2}teller {4}◐ running +\d+ calls? +\S+ tokens\n[^\n]*○ idle[^\n]*\n[^\n]*✗ dead[^\n]*\n─{80}\n. Waiting for 4 agents \d+[sm]/m,
    )

    writeFileSync(join(tree.scripts, 'report'), '')
    await terminal.until(
      'the answer to be seen',
      /^ {2}teller {4}✓ received +\d+ calls? +\S+ tokens$/m,
    )
    await terminal.key('C-c')
    const interrupted = await terminal.until('the prompt', /^exit 1$/m)
    expect(interrupted).toContain('The wait was interrupted')
    expect(interrupted).not.toContain('◐')
    expect((await tree.run(['mail', '--peek', '--json'])).json.messages).toMatchObject([
      { name: 'teller', message: 'found: 日本語' },
    ])

    await terminal.line('clear; exomonad wait 1h teller idler goner')
    const done = await terminal.until('the result', /^exit 0$/m)
    expect(done).toMatch(
      /^✓ received {2}teller [0-9a-f-]{36}\n {2}found: 日本語\n○ idle {6}idler \S+\n✗ dead {6}goner \S+\nexit 0$/m,
    )
    expect(done).not.toContain('─')
    expect((await tree.run(['mail'])).stdout).toBe('No mail\n')
  })

  it('wait returns JSON in the order asked, with the exit code 0 at a timeout too', async () => {
    const partial = await tree.run(['wait', '0', 'idler', 'busy', 'busy', '--json'])
    expect(partial).toMatchObject({ code: 0, stderr: '' })
    expect(partial.json.results.map(({ name, status }: any) => [name, status])).toEqual([
      ['idler', 'idle'],
      ['busy', 'running'],
    ])
    expect(await tree.run(['wait', '0', '--json'])).toMatchObject({
      code: 0,
      json: { status: 'timeout' },
    })
    expect(await tree.run(['wait', '1'])).toMatchObject({
      code: 0,
      stdout: 'No mail came within 1s\n',
    })
    expect(await tree.run(['wait', '0', 'nobody', '--json'])).toMatchObject({
      code: 1,
      json: { code: 'AGENT_NOT_FOUND' },
    })
    expect(await tree.run(['wait', '2d', '--json'])).toMatchObject({
      code: 1,
      json: { code: 'INVALID_ARG' },
    })
  })

  it('mail takes each message once, and looks only where asked to', async () => {
    const { id } = await tree.agent('idler')
    tree.script('writer', {
      steps: [
        {
          do: 'tool',
          name: 'send',
          input: { to: '${env.EXOMONAD_PARENT_ID}', message: 'one\ntwo' },
        },
      ],
    })
    await tree.run(['fork', 'writer', 'Write.', '--as', 'idler'])
    await waitFor('the mail', async () => (await tree.agent('idler')).unread === 1, LIMIT)
    expect((await tree.run(['mail', '--as', id, '--peek', '--json'])).json).toMatchObject({
      messages: [{ name: 'writer', message: 'one\ntwo' }],
    })
    expect((await tree.run(['mail', '--as', id])).stdout).toMatch(
      /^● from writer \S+, .*\n {2}one\n {2}two\n$/,
    )
    expect((await tree.run(['mail', '--as', id, '--json'])).json).toEqual({ messages: [] })
  })

  it('the shell completes agents’ names, also where a timeout may stand', async () => {
    for (const words of [
      ['wait', 'tel'],
      ['wait', '5m', 'busy', 'tel'],
    ]) {
      // A busy daemon is not waited for: whoever presses Tab once more has it.
      await waitFor(`${words.join(' ')} to be completed`, async () =>
        (await tree.run(['__complete', '--', ...words])).stdout.startsWith('teller\tfork, '),
      )
    }
  })
})
