import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { verifies } from '../requirements.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { allowDialogs } from './dialogs.ts'
import type { RealCli } from './real-cli.ts'
import type { World } from './world.ts'
import { LIMIT } from './limits.ts'

const HOSTILE = Array.from({ length: 200 }, (_, index) => {
  const line = index + 1
  const traps = [
    'plain',
    '!touch escaped',
    '/quit',
    '#remember me',
    '@README.md',
    '\u001b[201~!touch escaped\r',
    '\u0003\u0004',
    '\ttabs\tand "quotes" \'$(touch escaped)\'',
    'ünïcödé 漢字 🐙',
  ]
  return `line ${line} ${traps[index % traps.length]}`
}).join('\n')

/**
 * What depends on the terminal that an agent CLI runs in, and on how it is read and typed into.
 * `worldOf`: the world, once it is there.
 */
export function terminalTests(cli: RealCli, worldOf: () => World): void {
  it(
    verifies(
      'R004-07',
      verifies(
        'R004-13',
        verifies(
          'R001-07',
          'starts without a dialog, is given its tools, calls them, and has none that spawn, merge or answer',
        ),
      ),
    ),
    async () => {
      const world = worldOf()
      const { name, marker } = await world.stays([
        { call: 'note', input: { message: 'I have begun' } },
        { say: 'Done.' },
      ])
      const { conversation } = await world.model.sees(marker)
      const tools = conversation.tools
        .filter((tool) => tool.includes('exomonad'))
        .map((tool) => tool.replace(/^.*exomonad[_.]*/, ''))
      expect(tools).toEqual(
        expect.arrayContaining(['file_pr', 'note', 'question', 'send', 'check_mail']),
      )
      for (const forbidden of [
        'spawn_subtree',
        'spawn_workers',
        'merge_pr',
        'answer_question',
        'kill',
      ])
        expect(tools).not.toContain(forbidden)
      await waitFor(
        'the note',
        async () =>
          (await world.tree.call('inbox')).messages.find(({ text }: any) =>
            text.includes(`[NOTE] ${name}: I have begun`),
          ),
        {
          limit: LIMIT,
        },
      )
      const texts = conversation.entries.map((entry) => entry.text).join('\n')
      for (const tool of ['file_pr', 'note', 'question', 'check_mail'])
        expect(texts).toContain(tool)
      // Its hook may come so late that it was seen to idle before.
      const node = await waitFor(
        'its hook to say that it idles',
        async () => {
          const now = await world.tree.agent(name)
          if (now.state === 'idle' && now.state_source === 'hook') return now
          throw new Error(`${now.state}: ${now.state_reason} (${now.state_source})`)
        },
        { limit: LIMIT, every: 200 },
      )
      expect(node).toMatchObject({ agent: cli.name })
      expect(node.tool_calls).toBeGreaterThanOrEqual(1)
      // Counted by the mock for every turn.
      await waitFor('its tokens', async () => (await world.tree.agent(name)).tokens >= 1000, {
        limit: LIMIT,
      })
    },
  )

  it('reads a message while idle', async () => {
    const world = worldOf()
    const { name, marker } = await world.stays()
    const word = await world.send(name, [{ say: 'Read it.' }])
    await world.model.sees(word)
    await world.delivered(name)
    await world.state(name, 'idle')
    expect(world.model.count(word, marker)).toBe(1)
  })

  it('reads a message while it works', async () => {
    const world = worldOf()
    const { name, marker } = await world.stays()
    await world.model.sees(
      await world.send(name, [
        { shell: 'echo one', hold: 'busy' },
        { shell: 'echo two' },
        { say: 'Done.' },
      ]),
    )
    await world.model.holds('busy')
    await world.tree.call('send', { to: name, message: 'Mind the gap, says word-busy' })
    world.model.release('busy')
    await allowDialogs(world, [{ agent: name, cli }], async () =>
      world.model.seen.some((turn) =>
        JSON.stringify(turn.conversation.entries).includes('word-busy'),
      ),
    )
    await allowDialogs(
      world,
      [{ agent: name, cli }],
      async () => (await world.tree.agent(name)).state === 'idle',
    )
    await world.delivered(name)
    expect(world.model.count('word-busy', marker)).toBe(1)
  })

  it('never mixes a message with what a person has half typed', async () => {
    const world = worldOf()
    const { name, marker } = await world.stays()
    await waitFor('its input line', async () => cli.ready.test(await world.screen(name)), {
      limit: LIMIT,
    })
    await world.type(name, 'half a thought')
    await waitFor(
      'the half line',
      async () => (await world.screen(name)).includes('half a thought'),
      { limit: LIMIT },
    )
    const word = await world.send(name, [{ say: 'Read it.' }])
    // Either by a way beside the terminal, or once the line is gone.
    const arrived = await world.model.sees(word, { limit: 6000 }).catch(() => undefined)
    // It may just be drawing its screen anew.
    await waitFor(
      'the half line, as it was',
      async () => (await world.screen(name)).includes('half a thought'),
      { limit: LIMIT },
    )
    for (let character = 0; character < 'half a thought'.length; character++)
      await world.key(name, 'BSpace')
    if (arrived !== undefined)
      await waitFor(
        'the line to be empty',
        async () => !(await world.screen(name)).includes('half a thought'),
        { limit: LIMIT },
      )
    await world.model.sees(word)
    await world.delivered(name)
    expect(world.model.count(word, marker)).toBe(1)
    expect(world.model.count('half a thought', marker)).toBe(0)
  })

  it('types nothing into a permission dialog', async () => {
    const world = worldOf()
    const { name, marker } = await world.stays()
    await world.model.sees(
      await world.send(name, [{ shell: 'touch allowed-by-hand' }, { say: 'Done.' }]),
    )
    await waitFor('the dialog', async () => cli.dialog.test(await world.screen(name)), {
      limit: LIMIT,
    })
    const node = await world.state(name, 'waiting')
    const word = await world.send(name, [{ say: 'Read it.' }])
    const inbox = await waitFor(
      'the human to be notified',
      async () =>
        (await world.tree.call('inbox')).messages.find(
          ({ kind, text }: any) => kind === 'agent.waiting' && text.includes(name),
        ),
      {
        limit: LIMIT,
      },
    )
    expect(inbox.text).toContain(name)
    // Long enough for a delivery that doesn't look.
    await world.model.sees(word, { limit: 4000 }).catch(() => undefined)
    await waitFor('the dialog, as it was', async () => cli.dialog.test(await world.screen(name)), {
      limit: LIMIT,
    })
    expect(existsSync(`${node.worktree}/allowed-by-hand`)).toBe(false)
    await world.key(name, 'Enter')
    await waitFor('the command to run', () => existsSync(`${node.worktree}/allowed-by-hand`), {
      limit: LIMIT,
    })
    await world.model.sees(word)
    await world.delivered(name)
    expect(world.model.count(word, marker)).toBe(1)
  })

  it('gets 200 lines of hostile text whole, and nothing of it is run', async () => {
    const world = worldOf()
    const { name, marker, worktree } = await world.stays()
    await world.tree.call('send', { to: name, message: `first-word\n${HOSTILE}\nlast-word` })
    await world.model.sees('last-word')
    await world.delivered(name)
    await world.state(name, 'idle')
    // The line that is typed may hold the first words as well.
    for (const line of [20, 57, 143, 200])
      expect(world.model.count(`line ${line} `, marker), `line ${line}`).toBe(1)
    expect(world.model.count('last-word', marker)).toBe(1)
    expect(existsSync(`${worktree}/escaped`)).toBe(false)
    expect(
      world.latest(marker)?.conversation.entries.some((entry) => entry.text.includes('\u001b')),
    ).toBe(false)
  })

  it('is idle after Escape, and reads what comes then', async () => {
    const world = worldOf()
    const { name } = await world.stays()
    // Before its first word, Claude Code would put the prompt back into its box, as a line of a
    // person’s.
    const asked = await world.send(name, [
      { call: 'note', input: { message: 'I have begun' } },
      { say: 'Never said.', hold: 'escape' },
    ])
    await world.model.sees(asked)
    await world.model.holds('escape')
    await world.state(name, 'running')
    await world.key(name, 'Escape')
    // OpenCode asks for it twice within a few seconds, and a busy one may take two at once for one.
    if (cli.name === 'opencode') {
      const isIdle = async (): Promise<boolean> => {
        if ((await world.tree.agent(name)).state === 'idle') return true
        await world.key(name, 'Escape')
        return false
      }
      await waitFor('the turn to be broken off', isIdle, { limit: LIMIT, every: 1500 })
    }
    const word = await world.send(name, [{ say: 'Read it.' }])
    await world.model.sees(word)
    world.model.release('escape')
    await world.state(name, 'idle')
    await world.delivered(name)
    // Gemini CLI forgets the turn that was broken off, with its prompt.
    expect(world.model.count(word, word)).toBe(1)
  })

  it('goes on while the daemon is killed and started again', async () => {
    const world = worldOf()
    const { name, marker } = await world.stays()
    await world.model.sees(
      await world.send(name, [
        { call: 'note', input: { message: 'before' }, hold: 'crash' },
        { say: 'Done.' },
      ]),
    )
    await world.model.holds('crash')
    await world.tree.crash()
    await world.tree.call('tree')
    world.model.release('crash')
    await world.state(name, 'idle')
    const word = await world.send(name, [{ say: 'Read it.' }])
    await world.model.sees(word)
    await world.delivered(name)
    expect(world.model.count(word, marker)).toBe(1)
  })
}

/** Where somebody takes the terminal away under the program, and has it come back. */
export function closedTerminalTests(worldOf: () => World): void {
  it('is reported as failed when its terminal is closed by hand, and takes its own conversation up again', async () => {
    const world = worldOf()
    const { name } = await world.stays()
    await world.close(name)
    await world.state(name, 'failed')
    await waitFor(
      'the human to be notified',
      async () =>
        (await world.tree.call('inbox')).messages.some(
          ({ kind, text }: any) => kind === 'agent.failed' && text.includes(name),
        ),
      {
        limit: LIMIT,
      },
    )
    const asked = world.model.seen.length
    const resumed = await world.tree.command(['resume', name])
    expect(resumed, resumed.stderr).toMatchObject({ code: 0 })
    const word = await world.send(name, [{ say: 'Read it.' }])
    await world.model.sees(word)
    expect(
      world.model.seen
        .slice(asked)
        .some((turn) => JSON.stringify(turn.conversation.entries).includes(`task-of-${name}`)),
    ).toBe(true)
  })
}
