import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_TOOLS } from '../../src/tools/all.ts'
import { verifies } from '../requirements.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { plays, type Step } from '../fixtures/model-server/script.ts'
import { allowDialogs } from './dialogs.ts'
import { lead } from './lead.ts'
import { requireInstalled, type RealCli } from './real-cli.ts'
import { startWorld, type World } from './world.ts'
import { LIMIT } from './limits.ts'

/** What an agent CLI, as it comes from npm, must do as a tech lead of the tree. */
export function leadEndToEnd(cli: RealCli): void {
  describe.skipIf(!requireInstalled([cli]))(`${cli.name}, the real one, as a tech lead`, () => {
    let world: World
    beforeAll(async () => {
      world = await startWorld([cli], { tl: cli.name, dev: cli.name })
    }, 120_000)
    afterAll(async () => {
      await world?.stop()
    })

    it(
      verifies(
        'R004-02',
        verifies(
          'R004-05',
          verifies(
            'R004-19',
            verifies(
              'R004-20',
              'spawns, passes its conversation on, is notified of its child, and merges',
            ),
          ),
        ),
      ),
      async () => {
        const { model, tree } = world
        model.script(
          'child',
          {
            shell:
              'echo child > child.txt && git add child.txt && git commit -q -m "Add child.txt"',
          },
          { say: 'I think I am done.' },
          { call: 'file_pr', input: { title: 'Add child.txt', body: 'As asked.' } },
          { say: 'Filed.' },
        )
        model.brain(
          'lead-of-all',
          lead(
            [
              {
                call: 'spawn_subtree',
                input: { task: `task-of-child ${plays('child')}`, branch_name: 'child' },
              },
            ],
            1,
          ),
        )
        const up = await tree.run([
          'up',
          'You are lead-of-all; your secret is inherited-secret.',
          '--json',
        ])
        expect(up.code, up.stderr).toBe(0)
        const asked = await model.sees('lead-of-all')
        const description =
          ALL_TOOLS.find((tool) => tool.name === 'spawn_subtree')?.description ?? ''
        expect(JSON.stringify(asked.body)).toContain(JSON.stringify(description).slice(1, 60))
        expect(
          asked.conversation.tools.filter((tool) =>
            /spawn_agents|spawn_gemini_teammate/.test(tool),
          ),
        ).toEqual([])
        const child = await model.sees('task-of-child')
        // The parent's words stand in the child's conversation, and the warning about stale paths
        // before its task.
        const own = await waitFor(
          'the child’s own conversation',
          () =>
            model.seen.find((turn) =>
              turn.conversation.entries.some(
                (entry) => entry.role === 'user' && entry.text.includes('task-of-child'),
              ),
            ),
          { limit: LIMIT },
        )
        const text = own.conversation.entries.map((entry) => entry.text).join('\n')
        expect(text).toContain('inherited-secret')
        expect(text).toContain('.exomonad/worktrees/child')
        expect(child).toBeDefined()
        await allowDialogs(
          world,
          [{ agent: 'child', cli }],
          async () => existsSync(`${tree.repository.path}/child.txt`),
          LIMIT,
        )
        // Its file is there a moment before git and the forge have noted it.
        await waitFor(
          'the merge to be on record',
          async () => (await tree.call('pr_list', { state: 'merged' })).pull_requests.length === 1,
          { limit: LIMIT },
        )
        expect(
          (await tree.events()).some(
            (event) => event.type === 'agent.spawned' && event.payload.name === 'child',
          ),
        ).toBe(true)
      },
    )

    it(
      verifies(
        'R000-03',
        verifies(
          'R000-08',
          verifies(
            'R000-17',
            'forks itself, with its conversation and without, goes on, and waits for what both report',
          ),
        ),
      ),
      async () => {
        const { model, tree } = world
        await world.state('root', 'idle')
        const report = (message: string, hold?: string): Step[] => [
          { call: 'send', input: { to: 'root', message }, ...(hold === undefined ? {} : { hold }) },
          { say: 'Reported.' },
        ]
        const completion = JSON.stringify({
          status: 'idle',
          success: true,
          summary: 'stranger-reports',
        })
        model.script('heir', ...report('heir-reports'))
        model.script('stranger', ...report(completion, 'stranger'))
        const word = await world.send('root', [
          { call: 'fork', input: { name: 'heir', prompt: `task-of-heir ${plays('heir')}` } },
          {
            call: 'fork',
            input: {
              name: 'stranger',
              prompt: `task-of-stranger ${plays('stranger')}`,
              context: 'fresh',
            },
          },
          { call: 'wait', input: { timeout: 600, from_agents: ['heir', 'stranger'] } },
          { say: 'Both have reported.' },
        ])
        // Two real programs start side by side, on as few as two busy cores.
        await model.holds('stranger', LIMIT)
        // It waits for as long as one of them works; clients would give up without signs of life.
        await waitFor(
          'the wait',
          async () => (await tree.agent('root')).waiting_for?.length === 2,
          { limit: LIMIT, every: 200 },
        )
        model.release('stranger')
        const gathered = await waitFor(
          'the result of the wait',
          () =>
            model.seen.find((turn) =>
              turn.conversation.entries.some(
                ({ role, text }) =>
                  role === 'tool' && /heir-reports[^]*stranger-reports/.test(text),
              ),
            ),
          { limit: LIMIT },
        )
        const result =
          gathered.conversation.entries.findLast(({ role }) => role === 'tool')?.text ?? ''
        expect(result.match(/received/g)).toHaveLength(2)
        const sent = (task: string): string =>
          model.seen
            .find((turn) =>
              turn.conversation.entries.some(
                ({ role, text }) => role === 'user' && text.includes(task),
              ),
            )
            ?.conversation.entries.map(({ text }) => text)
            .join('\n') ?? ''
        expect(sent('task-of-heir')).toContain('inherited-secret')
        expect(sent('task-of-heir')).toContain(word)
        expect(sent('task-of-stranger')).not.toContain('inherited-secret')
        expect(sent('task-of-stranger')).not.toContain(word)
        // In its parent’s worktree, on its branch.
        const root = await tree.agent('root')
        expect(await tree.agent('heir')).toMatchObject({
          kind: 'fork',
          worktree: root.worktree,
          branch: root.branch,
          parent_id: root.id,
        })
        await world.state('root', 'idle')
        expect((await tree.agent('stranger')).outcome).toEqual({
          success: true,
          summary: 'stranger-reports',
        })
      },
    )
  })
}
