import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crashAt, openJournal, startAgain } from '../../helpers/crash-at.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'

describe('kill -9 of the daemon in the middle of a fork', () => {
  let tree: Exomonad
  let worktree: string
  const children = async (): Promise<any[]> => (await tree.agent('lead')).children
  const capture = async () => tree.call('scrollback', { agent: 'lead' })

  beforeAll(async () => {
    tree = await startExomonad()
    tree.script('lead', { steps: [{ do: 'print', text: 'leading' }] })
    worktree = (await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })).worktree
    await tree.logged('lead', 'its start', ({ kind }) => kind === 'ready')
    writeFileSync(join(worktree, 'unfinished.txt'), 'not committed')
  })
  afterAll(() => tree?.stop())

  it.each(['reserved', 'pane', 'live'])(
    'at “%s” leaves a living fork or nothing, and the worktree it shares alone',
    async (step) => {
      await tree.call('capture', { text: `Half, cut off at ${step}.` }, { as: 'lead' })
      const { dead } = await crashAt(tree, 'spawn', step)
      const call = tree.command(['call', 'fork_capture', '-', '--as', 'lead'], {
        input: JSON.stringify({ name: step }),
      })
      await dead
      expect((await call).code).not.toBe(0)

      await startAgain(tree)
      expect(openJournal(tree)).toBe(0)
      expect(existsSync(join(worktree, 'unfinished.txt'))).toBe(true)
      expect(await tree.repository.gitIn(worktree, 'symbolic-ref', '--short', 'HEAD')).toBe(
        'main.lead',
      )
      expect((await tree.agent('lead')).state).toMatch(/running|idle/)
      const { entries, capture_lines: open } = await capture()
      if (step === 'live') {
        expect(await children()).toMatchObject([
          { name: 'live', kind: 'fork', state: expect.stringMatching(/running|idle/), worktree },
        ])
        // What was sent to it is no capture any more.
        expect([open, entries.at(-1).kind]).toEqual([null, 'capture-fork'])
        expect(entries.at(-1).text).toContain('live')
      } else {
        expect(await children()).toEqual([])
        expect(open).toBe(1)
        await tree.call('cancel', {}, { as: 'lead' })
      }
      expect(
        (await tree.events()).filter(
          ({ type, payload }) => type === 'spawn.failed' && payload.name === step,
        ),
      ).toHaveLength(step === 'live' ? 0 : 1)
    },
  )
})
