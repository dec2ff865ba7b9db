import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { waitFor } from '../../helpers/wait-for.ts'
import { opencode } from '../clis/opencode.ts'
import { requireInstalled } from '../real-cli.ts'
import { startWorld } from '../world.ts'
import { LIMIT } from '../limits.ts'

describe.skipIf(!requireInstalled([opencode]))('permissions of the real OpenCode', () => {
  it('are granted by list, and nothing else is', async () => {
    const world = await startWorld([opencode], {
      tl: 'opencode',
      dev: 'opencode',
      config: '[roles.dev.permissions]\npolicy = "list"\nallow = ["bash(touch listed*)"]',
    })
    onTestFinished(() => world.stop())
    // A command that this person’s OpenCode asks about, and one that is listed in part alone.
    const { worktree } = await world.worker('asks', [
      { shell: 'touch listed-file' },
      { shell: 'touch listed-too && touch unlisted' },
      { say: 'Done.' },
    ])
    await waitFor('the command to run', () => existsSync(`${worktree}/listed-file`), {
      limit: LIMIT,
    })
    await world.state('asks', 'waiting')
    expect(existsSync(`${worktree}/listed-too`)).toBe(false)
  })
})

describe.skipIf(!requireInstalled([opencode]))('the real OpenCode', () => {
  it('takes a task that is too long for its command line, calls the tools over stdio where they are not served over HTTP, and asks about nothing where that was chosen', async () => {
    const world = await startWorld([opencode], {
      tl: 'opencode',
      dev: 'opencode',
      config: '[mcp]\nhttp = false\n[roles.dev.permissions]\npolicy = "all"',
    })
    onTestFinished(() => world.stop())
    world.model.script(
      'long-task',
      { shell: 'touch anything' },
      { call: 'note', input: { message: 'Over stdio' } },
      { say: 'Read it all.' },
    )
    const lines = Array.from(
      { length: 3000 },
      (_, index) => `/line ${index} of "the" $(task)`,
    ).join('\n')
    const { spawned, errors } = await world.tree.call('spawn_workers', {
      specs: [{ name: 'long', prompt: `${lines}\nplay:long-task; end-of-task` }],
    })
    expect(errors).toEqual([])
    const turn = await world.model.sees('end-of-task')
    expect(turn.conversation.entries.map(({ text }) => text).join('\n')).toContain(lines)
    const noted = ({ text }: { text: string }) => text.includes('[NOTE] long: Over stdio')
    await waitFor('the note', async () => (await world.tree.call('inbox')).messages.find(noted), {
      limit: LIMIT,
    })
    expect(existsSync(`${spawned[0].worktree}/anything`)).toBe(true)
    await world.state('long', 'idle')
    expect((await world.tree.events()).filter(({ type }) => type === 'agent.waiting')).toEqual([])
    await waitFor(
      'the terminal to show its session',
      async () => (await world.screen('long')).includes('Read it all.'),
      { limit: LIMIT },
    )
  })
})
