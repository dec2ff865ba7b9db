import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { waitFor } from '../helpers/wait-for.ts'
import { opencode } from './clis/opencode.ts'
import { requireInstalled } from './real-cli.ts'
import { startWorld } from './world.ts'

/** A worker whose model wants to run a command that this person’s OpenCode asks about. */
async function asking(policy: string, file: string) {
  const world = await startWorld([opencode], { tl: 'opencode', dev: 'opencode', config: `[roles.dev.permissions]\n${policy}` })
  onTestFinished(() => world.stop())
  const { worktree } = await world.worker('asks', [{ shell: `touch ${file}` }, { say: 'Done.' }])
  return { world, made: () => existsSync(`${worktree}/${file}`) }
}

describe.skipIf(!requireInstalled([opencode]))('permissions of the real OpenCode', () => {
  it('are granted by list, and nothing else is', async () => {
    const { world, made } = await asking('policy = "list"\nallow = ["bash(touch listed*)"]', 'listed-file')
    await waitFor('the command to run', made, { limit: 90_000 })
    const { worktree } = await world.worker('other', [{ shell: 'touch listed-too && touch unlisted' }, { say: 'Done.' }])
    await world.state('other', 'waiting')
    expect(existsSync(`${worktree}/listed-too`)).toBe(false)
  })

  it('are not asked about at all where that was chosen', async () => {
    const { world, made } = await asking('policy = "all"', 'anything')
    await waitFor('the command to run', made, { limit: 90_000 })
    expect((await world.tree.events()).filter(({ type }) => type === 'agent.waiting')).toEqual([])
  })
})
