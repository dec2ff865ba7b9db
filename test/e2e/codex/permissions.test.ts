import { existsSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { waitFor } from '../../helpers/wait-for.ts'
import { codex } from '../clis/codex.ts'
import { requireInstalled } from '../real-cli.ts'
import { startWorld, type World } from '../world.ts'
import { LIMIT } from '../limits.ts'

async function world(config: string): Promise<World> {
  const started = await startWorld([codex], { tl: 'codex', dev: 'codex', config })
  onTestFinished(() => started.stop())
  return started
}

describe.skipIf(!requireInstalled([codex]))(
  'what the real Codex may do without asking in its terminal',
  () => {
    it('is what its role’s list begins with; and its tools are there over stdio as well', async () => {
      const { worker, tree, state, screen } = await world(
        `[roles.dev.permissions]\npolicy = "list"\nallow = ["touch"]\n[mcp]\nhttp = false`,
      )
      const { worktree } = await worker('lists', [
        { shell: 'touch "a file"' },
        { call: 'note', input: { message: 'touched' } },
        { shell: 'mkdir unlisted' },
      ])
      await waitFor(
        'the note',
        async () =>
          (await tree.call('inbox')).messages.find(({ text }: any) =>
            text.includes('[NOTE] lists: touched'),
          ),
        {
          limit: LIMIT,
        },
      )
      expect(existsSync(`${worktree}/a file`)).toBe(true)
      await state('lists', 'waiting')
      // Its hook reports before it is drawn.
      await waitFor('the dialog', async () => codex.dialog.test(await screen('lists')), {
        limit: LIMIT,
      })
      const status = await tree.repository.git('-C', worktree, 'status', '--porcelain')
      expect(status.split('\n')).toEqual(['?? "a file"'])
    })

    it('is asked of the human, whose answer it takes', async () => {
      const { worker, tree, state, screen, model } = await world(
        '[roles.dev.permissions]\npolicy = "ask"',
      )
      const asked = (what: string) =>
        waitFor(
          `the human to be asked about ${what}`,
          async () => {
            const events = await tree.events()
            return events.find(
              ({ type, payload }) => type === 'approval.requested' && payload.what.includes(what),
            )?.payload.approval_id as string | undefined
          },
          { limit: LIMIT },
        )
      const { worktree } = await worker('asks', [
        { shell: 'touch yes' },
        { shell: 'touch no' },
        { say: 'Done.' },
      ])
      const yes = await asked('touch yes')
      await state('asks', 'waiting')
      expect(existsSync(`${worktree}/yes`)).toBe(false)
      expect((await tree.run(['approve', yes])).code).toBe(0)
      const no = await asked('touch no')
      expect(existsSync(`${worktree}/yes`)).toBe(true)
      expect((await tree.run(['deny', no, '--reason', 'Not in this tree.'])).code).toBe(0)
      await model.sees('Not in this tree.')
      await state('asks', 'idle')
      expect(existsSync(`${worktree}/no`)).toBe(false)
      await waitFor('no dialog', async () => !codex.dialog.test(await screen('asks')), {
        limit: LIMIT,
      })
    })

    it('is everything where its role may do all', async () => {
      const { worker, state } = await world('[roles.dev.permissions]\npolicy = "all"')
      const { worktree } = await worker('may', [
        { shell: 'touch done && git add done && git commit -q -m "Done"' },
        { say: 'Done.' },
      ])
      await waitFor('the file', () => existsSync(`${worktree}/done`), { limit: LIMIT })
      await state('may', 'idle')
    })
  },
)
