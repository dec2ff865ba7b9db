import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../helpers/wait-for.ts'
import { claude } from './clis/claude.ts'
import { codex } from './clis/codex.ts'
import { opencode } from './clis/opencode.ts'
import { allowDialogs } from './dialogs.ts'
import { requireInstalled, type RealCli } from './real-cli.ts'
import { startWorld, type World } from './world.ts'
import { LIMIT } from './limits.ts'

/** A person decides over what a real agent CLI asks about without going to its terminal. */

const CLIS: readonly RealCli[] = [claude, codex, opencode]

describe.skipIf(!requireInstalled(CLIS))('permission policy ask', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(CLIS, {
      tl: 'claude',
      dev: 'claude',
      config: '[roles.dev.permissions]\npolicy = "ask"',
    })
  }, 120_000)
  afterAll(async () => {
    await world?.stop()
  })

  const asked = async (agent: string): Promise<any> =>
    waitFor(
      'the question in the inbox',
      async () =>
        (await world.tree.call('inbox')).approvals.find(
          (approval: any) => approval.agent === agent,
        ),
      {
        limit: LIMIT,
        every: 200,
      },
    )
  const settled = (agent: string) =>
    waitFor(
      'nothing to wait for the human',
      async () =>
        (await world.tree.call('inbox')).approvals.every(
          (approval: any) => approval.agent !== agent,
        ),
      {
        limit: LIMIT,
        every: 200,
      },
    )
  /** One agent of each CLI is asked about one command after the other. */
  const touching = async (file: string, cli: RealCli) => {
    const one = await world.stays(undefined, undefined, cli.name)
    await world.send(one.name, [{ shell: `touch ${file}` }, { say: 'Done.' }])
    return one
  }

  describe.each(CLIS.map((cli) => [cli.name, cli] as const))('with %s', (_name, cli) => {
    it('lets it where the human approves', async () => {
      const { name, worktree } = await touching('yes', cli)
      const approval = await asked(name)
      expect(approval.what).toContain('touch yes')
      expect(await world.tree.agent(name)).toMatchObject({ state: 'waiting' })
      expect(existsSync(join(worktree, 'yes'))).toBe(false)
      const { code, stderr } = await world.tree.run(['approve', approval.approval_id])
      expect(stderr).toBe('')
      expect(code).toBe(0)
      await waitFor('the command to run', () => existsSync(join(worktree, 'yes')), {
        limit: LIMIT,
      })
      // It made a file that it didn't commit: what it does about that is not this test's.
      expect(
        (await world.tree.events()).some(
          (event) => event.type === 'agent.waiting' && event.payload.name === name,
        ),
      ).toBe(false)
    })

    it('does not where the human denies, and its model reads why', async () => {
      const { name, worktree } = await touching('no', cli)
      const approval = await asked(name)
      await world.tree.run(['deny', approval.approval_id, '--reason', 'not-in-this-house'])
      await world.model.sees('not-in-this-house')
      await world.state(name, 'idle')
      expect(existsSync(join(worktree, 'no'))).toBe(false)
    })
  })

  describe.each([
    ['claude', claude],
    ['opencode', opencode],
  ] as const)('with %s', (_name, cli) => {
    it('takes the answer of whoever comes first: here the person at the terminal', async () => {
      const { name, worktree } = await touching('by-hand', cli)
      await asked(name)
      await waitFor('the dialog', async () => cli.dialog.test(await world.screen(name)), {
        limit: LIMIT,
      })
      // Not by one key: in its first moments, Claude Code’s dialog takes none.
      await allowDialogs(world, [{ agent: name, cli }], async () =>
        existsSync(join(worktree, 'by-hand')),
      )
      await settled(name)
    })
  })
})
