import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../../helpers/wait-for.ts'
import { claude } from '../clis/claude.ts'
import { allowDialogs } from '../dialogs.ts'
import { requireInstalled } from '../real-cli.ts'
import { startWorld, type World } from '../world.ts'
import { LIMIT } from '../limits.ts'

const inboxWith = (world: World, text: string) =>
  waitFor(
    `the inbox to hold ${text}`,
    async () =>
      (await world.tree.call('inbox')).messages.find((message: any) => message.text.includes(text)),
    {
      limit: LIMIT,
    },
  )

/** Who decides over Claude Code’s tool calls, by the policy of the role. */
describe.skipIf(!requireInstalled([claude]))('Claude Code’s permissions', () => {
  it('are asked in the human’s inbox, and decided there', async () => {
    const world = await startWorld([claude], {
      tl: 'claude',
      dev: 'claude',
      config: '[roles.dev.permissions]\npolicy = "ask"',
    })
    try {
      const { worktree } = await world.worker('asks', [
        { shell: 'touch allowed' },
        { shell: 'touch denied' },
        { shell: 'touch by-hand' },
        { say: 'Done.' },
      ])
      const decide = async (command: string, decision: 'approve' | 'deny', ...more: string[]) => {
        const asked = await inboxWith(world, `asks to use Bash: ${command}`)
        await world.state('asks', 'waiting')
        expect(existsSync(`${worktree}/${command.replace('touch ', '')}`)).toBe(false)
        const done = await world.tree.run([
          decision,
          /perm-[0-9a-f]+/.exec(asked.text)?.[0] ?? '',
          ...more,
        ])
        expect(done.code, done.stderr).toBe(0)
      }
      await decide('touch allowed', 'approve')
      await waitFor('the command to run', () => existsSync(`${worktree}/allowed`), {
        limit: LIMIT,
      })
      await decide('touch denied', 'deny')
      // The dialog stands in the terminal as well; who answers there has answered.
      await inboxWith(world, 'asks to use Bash: touch by-hand')
      await waitFor('the dialog', async () => claude.dialog.test(await world.screen('asks')), {
        limit: LIMIT,
      })
      // One that is answered in the moment it opens does not count, so that nobody says yes to what
      // they have not read.
      await allowDialogs(world, [{ agent: 'asks', cli: claude }], async () =>
        existsSync(`${worktree}/by-hand`),
      )
      await world.state('asks', 'idle')
      expect([existsSync(`${worktree}/denied`), existsSync(`${worktree}/by-hand`)]).toEqual([
        false,
        true,
      ])
    } finally {
      await world.stop()
    }
  })

  it('are given by list, and nothing else is', async () => {
    const world = await startWorld([claude], {
      tl: 'claude',
      dev: 'claude',
      config: '[roles.dev.permissions]\npolicy = "list"\nallow = ["Bash(touch listed*)"]',
    })
    try {
      const { worktree } = await world.worker('lists', [
        { shell: 'touch listed-one' },
        { shell: 'touch unlisted' },
        { say: 'Done.' },
      ])
      await waitFor('the command to run', () => existsSync(`${worktree}/listed-one`), {
        limit: LIMIT,
      })
      await waitFor('the dialog', async () => claude.dialog.test(await world.screen('lists')), {
        limit: LIMIT,
      })
      await world.state('lists', 'waiting')
      expect(existsSync(`${worktree}/unlisted`)).toBe(false)
    } finally {
      await world.stop()
    }
  })

  it('are all given where the policy says so, also with the tools on stdio', async () => {
    const world = await startWorld([claude], {
      tl: 'claude',
      dev: 'claude',
      config: '[mcp]\nhttp = false\n[roles.dev.permissions]\npolicy = "all"',
    })
    try {
      const { worktree } = await world.worker('works', [
        { shell: 'touch allowed' },
        { call: 'note', input: { message: 'by stdio' } },
        { say: 'Done.' },
      ])
      await inboxWith(world, 'by stdio')
      expect(existsSync(`${worktree}/allowed`)).toBe(true)
      await world.state('works', 'idle')
    } finally {
      await world.stop()
    }
  })
})
