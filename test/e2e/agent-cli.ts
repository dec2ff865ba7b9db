import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ALL_TOOLS } from '../../src/tools/all.ts'
import { verifies } from '../requirements.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { plays, type Step } from '../fixtures/model-server/script.ts'
import { allowDialogs } from './dialogs.ts'
import { inertTests } from './inert.ts'
import { closedTerminalTests, terminalTests } from './in-terminal.ts'
import { lead } from './lead.ts'
import { requireInstalled, type RealCli } from './real-cli.ts'
import { startWorld, type World } from './world.ts'

/** What each agent CLI must do in the tree, as it comes from npm. */
export function agentCliEndToEnd(cli: RealCli): void {
  const installed = requireInstalled([cli])
  const title = `${cli.name}, the real one`

  describe.skipIf(!installed)(`${title}, as a worker`, () => {
    let world: World
    beforeAll(async () => {
      world = await startWorld([cli], {
        tl: cli.name,
        dev: cli.name,
        config: '[delivery]\nhuman_idle = 1',
      })
    }, 120_000)
    afterEach(async () => {
      await world?.clear()
    })
    afterAll(async () => {
      await world?.stop()
    })

    terminalTests(cli, () => world)
    closedTerminalTests(() => world)
    inertTests(() => world)

    it(
      verifies('R004-14', 'gets the answer to its question as the result of the call'),
      async () => {
        const { marker } = await world.worker('asks', [
          { call: 'question', input: { message: 'Tabs or spaces?' } },
          { say: 'Thanks.' },
        ])
        await waitFor(
          'the question',
          async () => (await world.tree.agent('asks'))?.open_questions === 1,
          { limit: 60_000 },
        )
        await world.state('asks', 'waiting')
        await world.tree.call('answer_question', {
          agent: 'asks',
          message: 'Spaces, says answer-one',
        })
        await world.model.sees('answer-one')
        await world.state('asks', 'idle')
        expect(world.model.count('answer-one', marker)).toBe(1)
      },
    )

    it(verifies('R004-12', 'gets a late answer as a message, once'), async () => {
      const { marker } = await world.worker('waits', [
        { call: 'question', input: { message: 'Which port?', timeout: 1 } },
        { say: 'I go on without.' },
      ])
      await world.model.sees('"pending"').catch(() => world.model.sees('pending'))
      await world.state('waits', 'idle')
      await world.tree.call('answer_question', {
        agent: 'waits',
        message: 'Port 8080, says answer-two',
      })
      await world.model.sees('answer-two')
      await world.delivered('waits')
      expect(world.model.count('answer-two', marker)).toBe(1)
    })

    it(
      verifies(
        'R001-05',
        verifies(
          'R001-06',
          'learns once that mail waits, reads it, and reports that its task is done',
        ),
      ),
      async () => {
        const { model, tree } = world
        let reported = false
        model.brain('task-of-mailed', (entries) => {
          const last = entries.findLast((entry) => entry.role !== 'assistant')?.text ?? ''
          if (last.includes('mail-content') && !reported) {
            reported = true
            return {
              call: 'send',
              input: {
                to: 'main',
                message: JSON.stringify({
                  status: 'idle',
                  success: true,
                  summary: 'read all mail',
                }),
              },
            }
          }
          return /got mail from [0-9a-f]{8}-/.test(last)
            ? { call: 'check_mail' }
            : { say: 'Nothing to do.', hold: 'mailed' }
        })
        await tree.call('spawn_workers', {
          specs: [{ name: 'mailed', prompt: 'This is task-of-mailed.' }],
        })
        // Both come while it is busy: one batch.
        await model.holds('mailed')
        const { agentId: sender } = await world.worker('sender', [
          { call: 'send', input: { to: 'mailed', message: 'mail-content one' } },
          { call: 'send', input: { to: 'mailed', message: 'mail-content two' } },
          { say: 'Sent.' },
        ])
        await world.state('sender', 'idle')
        model.release('mailed')
        await model.sees('mail-content two')
        const done = await waitFor(
          'the completion',
          async () => (await tree.agent('mailed')).outcome,
          { limit: 60_000 },
        )
        expect(done).toEqual({ success: true, summary: 'read all mail' })
        expect(model.count(`got mail from ${sender}`, 'task-of-mailed')).toBe(1)
      },
    )

    it('is held until its pull request is filed', async () => {
      const { marker } = await world.worker('files', [
        { shell: 'echo work > work.txt && git add work.txt && git commit -q -m "Work"' },
        { say: 'I think I am done.' },
        { call: 'file_pr', input: { title: 'Work', body: 'Some work.' } },
        { say: 'Filed.' },
      ])
      await world.model.sees(marker)
      await allowDialogs(
        world,
        [{ agent: 'files', cli }],
        async () => (await world.tree.agent('files')).pr !== null,
      )
      await world.state('files', 'idle')
      expect((await world.tree.agent('files')).pr).toMatchObject({ state: 'open' })
      const blocked = (await world.tree.events()).filter(
        (event) => event.type === 'stop.blocked' && event.payload.objection === 'no_pull_request',
      )
      expect(blocked).toHaveLength(1)
      await world.model.sees('file_pr')
    })

    it('ends for good when it is killed', async () => {
      const { worktree } = await world.worker('killed', [{ say: 'Ready.' }])
      await world.state('killed', 'idle')
      await world.tree.call('kill', { agent: 'killed' })
      await waitFor('no process in its worktree', () => processesIn(worktree).length === 0, {
        limit: 20_000,
      })
      expect((await world.tree.agent('killed')).state).toBe('killed')
    })
  })

  describe.skipIf(!installed)(`${title}, as a tech lead`, () => {
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
          { limit: 90_000 },
        )
        const text = own.conversation.entries.map((entry) => entry.text).join('\n')
        expect(text).toContain('inherited-secret')
        expect(text).toContain('.exomonad/worktrees/child')
        expect(child).toBeDefined()
        await allowDialogs(
          world,
          [{ agent: 'child', cli }],
          async () => existsSync(`${tree.repository.path}/child.txt`),
          120_000,
        )
        expect((await tree.call('pr_list', { state: 'merged' })).pull_requests).toHaveLength(1)
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
        await model.holds('stranger', 120_000)
        // It waits for as long as one of them works; clients would give up without signs of life.
        await waitFor(
          'the wait',
          async () => (await tree.agent('root')).waiting_for?.length === 2,
          { limit: 90_000, every: 200 },
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
          { limit: 90_000 },
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

function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid)) return false
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
      } catch {
        return false
      }
    })
}
