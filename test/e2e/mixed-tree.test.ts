import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../requirements.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { plays, type Step } from '../fixtures/model-server/script.ts'
import { allowDialogs, firstUse } from './dialogs.ts'
import { claude } from './clis/claude.ts'
import { codex } from './clis/codex.ts'
import { gemini } from './clis/gemini.ts'
import { opencode } from './clis/opencode.ts'
import { lead } from './lead.ts'
import { requireInstalled } from './real-cli.ts'
import { startWorld, type World } from './world.ts'

const CLIS = [claude, gemini, codex, opencode]

const commits = (file: string): Step[] => [
  { shell: `echo ${file} > ${file} && git add ${file} && git commit -q -m "Add ${file}"` },
  { call: 'file_pr', input: { title: `Add ${file}`, body: 'As asked.' } },
  { say: 'Filed.' },
]

describe.skipIf(!requireInstalled(CLIS))('a tree of four agent CLIs', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(CLIS, { tl: 'claude', dev: 'gemini' })
  }, 120_000)
  afterAll(async () => {
    await world?.stop()
  })

  it(
    verifies('R004-18', 'goes from a task to everything merged into the root'),
    async () => {
      const { model, tree } = world
      model.script('gemini-work', ...commits('gemini.txt'))
      model.script('codex-work', ...commits('codex.txt'))
      model.script('leaf-work', ...commits('leaf.txt'))
      model.brain(
        'lead-of-all',
        lead(
          [
            {
              call: 'spawn_workers',
              input: {
                specs: [
                  { name: 'from-gemini', prompt: `Work. ${plays('gemini-work')}`, agent: 'gemini' },
                  { name: 'from-codex', prompt: `Work. ${plays('codex-work')}`, agent: 'codex' },
                ],
              },
            },
            {
              call: 'spawn_subtree',
              input: {
                task: 'You are lead-of-some.',
                branch_name: 'from-opencode',
                agent: 'opencode',
              },
            },
          ],
          3,
        ),
      )
      model.brain(
        'lead-of-some',
        lead(
          [
            {
              call: 'spawn_workers',
              input: {
                specs: [{ name: 'leaf', prompt: `Work. ${plays('leaf-work')}`, agent: 'codex' }],
              },
            },
          ],
          1,
          [{ call: 'file_pr', input: { title: 'Add what was asked for', body: 'Folded.' } }],
        ),
      )
      const up = await tree.run(['up', 'You are lead-of-all.', '--json'])
      expect(up.code, up.stderr).toBe(0)
      const files = ['gemini.txt', 'codex.txt', 'leaf.txt'].map(
        (file) => `${tree.repository.path}/${file}`,
      )
      await allowDialogs(
        world,
        ['from-gemini', 'from-codex', 'leaf', 'from-opencode', 'root'].map((agent) => ({
          agent,
          cli: firstUse(CLIS, agent),
        })),
        async () => files.every((file) => existsSync(file)),
        400_000,
      )
      // The last file is there a moment before git and the forge have noted it.
      await waitFor(
        'all four to be merged',
        async () => (await tree.call('pr_list', { state: 'merged' })).pull_requests.length === 4,
      )
      await waitFor(
        'a clean worktree',
        async () =>
          (await tree.repository.git('status', '--porcelain', '--', ':!.exomonad')) === '',
      )
      const undecided = (await tree.events()).filter((event) => event.type === 'delivery.undecided')
      expect(undecided).toEqual([])
    },
    450_000,
  )
})
