import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { waitFor } from '../../helpers/wait-for.ts'
import { opencode } from '../clis/opencode.ts'
import { requireInstalled } from '../real-cli.ts'
import { startWorld } from '../world.ts'

/** A worker whose model wants to run a command that this person’s OpenCode asks about. */
async function asking(policy: string, file: string) {
  const world = await startWorld([opencode], {
    tl: 'opencode',
    dev: 'opencode',
    config: `[roles.dev.permissions]\n${policy}`,
  })
  onTestFinished(() => world.stop())
  const { worktree } = await world.worker('asks', [{ shell: `touch ${file}` }, { say: 'Done.' }])
  return { world, made: () => existsSync(`${worktree}/${file}`) }
}

describe.skipIf(!requireInstalled([opencode]))('permissions of the real OpenCode', () => {
  it('are granted by list, and nothing else is', async () => {
    const { world, made } = await asking(
      'policy = "list"\nallow = ["bash(touch listed*)"]',
      'listed-file',
    )
    await waitFor('the command to run', made, { limit: 90_000 })
    const { worktree } = await world.worker('other', [
      { shell: 'touch listed-too && touch unlisted' },
      { say: 'Done.' },
    ])
    await world.state('other', 'waiting')
    expect(existsSync(`${worktree}/listed-too`)).toBe(false)
  })

  it('are not asked about at all where that was chosen', async () => {
    const { world, made } = await asking('policy = "all"', 'anything')
    await waitFor('the command to run', made, { limit: 90_000 })
    expect((await world.tree.events()).filter(({ type }) => type === 'agent.waiting')).toEqual([])
  })
})

describe.skipIf(!requireInstalled([opencode]))('the real OpenCode', () => {
  it('calls the tools over stdio where they are not served over HTTP', async () => {
    const world = await startWorld([opencode], {
      tl: 'opencode',
      dev: 'opencode',
      config: '[mcp]\nhttp = false',
    })
    onTestFinished(() => world.stop())
    await world.worker('stdio', [
      { call: 'note', input: { message: 'Over stdio' } },
      { say: 'Done.' },
    ])
    await waitFor(
      'the note',
      async () =>
        (await world.tree.call('inbox')).messages.find(({ text }: any) =>
          text.includes('[NOTE] stdio: Over stdio'),
        ),
      {
        limit: 90_000,
      },
    )
    await world.state('stdio', 'idle')
  })

  it('takes a task that is too long for its command line', async () => {
    const world = await startWorld([opencode], { tl: 'opencode', dev: 'opencode' })
    onTestFinished(() => world.stop())
    world.model.script('long-task', { say: 'Read it all.' })
    const lines = Array.from(
      { length: 3000 },
      (_, index) => `/line ${index} of "the" $(task)`,
    ).join('\n')
    const { errors } = await world.tree.call('spawn_workers', {
      specs: [{ name: 'long', prompt: `${lines}\nplay:long-task; end-of-task` }],
    })
    expect(errors).toEqual([])
    const turn = await world.model.sees('end-of-task')
    expect(turn.conversation.entries.map(({ text }) => text).join('\n')).toContain(lines)
    await world.state('long', 'idle')
    await waitFor(
      'the terminal to show its session',
      async () => (await world.screen('long')).includes('Read it all.'),
      { limit: 30_000 },
    )
  })
})
