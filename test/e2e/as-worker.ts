import { readdirSync, readlinkSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../requirements.ts'
import { whyNoZellij } from '../helpers/terminals/zellij.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { allowDialogs } from './dialogs.ts'
import { inertTests } from './inert.ts'
import { closedTerminalTests, terminalTests } from './in-terminal.ts'
import { requireInstalled, type RealCli } from './real-cli.ts'
import { startWorld, type World } from './world.ts'
import { LIMIT } from './limits.ts'

/** In one tree, whose workers are this agent CLI as it comes from npm. */
function describeWorker(
  cli: RealCli,
  { what, multiplexer = 'tmux' }: { what: string; multiplexer?: 'tmux' | 'zellij' },
  tests: (worldOf: () => World) => void,
): void {
  const title = `${cli.name}, the real one, ${what}`
  const reason =
    (multiplexer === 'zellij' ? whyNoZellij() : null) ??
    (requireInstalled([cli]) ? null : 'not installed')
  if (reason !== null) {
    describe.skip(`${title} (skipped: ${reason})`, () => undefined)
    return
  }
  describe(title, () => {
    let world: World
    beforeAll(async () => {
      world = await startWorld([cli], {
        multiplexer,
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
    tests(() => world)
  })
}

/** What it must do in its terminal. */
export const terminalEndToEnd = (cli: RealCli): void =>
  describeWorker(cli, { what: 'in a terminal' }, (worldOf) => {
    terminalTests(cli, worldOf)
    closedTerminalTests(worldOf)
  })

/**
 * The same in Zellij. What that does where a terminal is closed is the same for every program, and
 * so for one to look at (`closes`).
 */
export const zellijEndToEnd = (cli: RealCli, { closes }: { closes: boolean }): void =>
  describeWorker(cli, { what: 'in Zellij', multiplexer: 'zellij' }, (worldOf) => {
    terminalTests(cli, worldOf)
    if (closes) closedTerminalTests(worldOf)
  })

/** What it must do as a worker of the tree. */
export const workerEndToEnd = (cli: RealCli): void =>
  describeWorker(cli, { what: 'as a worker' }, (worldOf) => {
    let world: World
    beforeAll(() => {
      world = worldOf()
    })

    inertTests(worldOf)

    it(
      verifies('R004-14', 'gets the answer to its question as the result of the call'),
      async () => {
        const { name, marker } = await world.stays()
        await world.send(name, [
          { call: 'question', input: { message: 'Tabs or spaces?' } },
          { say: 'Thanks.' },
        ])
        await waitFor(
          'the question',
          async () => (await world.tree.agent(name))?.open_questions === 1,
          { limit: LIMIT },
        )
        await world.state(name, 'waiting')
        await world.tree.call('answer_question', {
          agent: name,
          message: 'Spaces, says answer-one',
        })
        await world.model.sees('answer-one')
        await world.state(name, 'idle')
        expect(world.model.count('answer-one', marker)).toBe(1)
      },
    )

    it(verifies('R004-12', 'gets a late answer as a message, once'), async () => {
      const { name, marker } = await world.stays()
      await world.send(name, [
        { call: 'question', input: { message: 'Which port?', timeout: 1 } },
        { say: 'I go on without.' },
      ])
      await waitFor(
        'the call to be answered for now',
        () =>
          world.model.seen.some((turn) =>
            turn.conversation.entries.some(
              ({ role, text }) => role === 'tool' && text.includes('pending'),
            ),
          ),
        { limit: LIMIT },
      )
      await world.state(name, 'idle')
      await world.tree.call('answer_question', {
        agent: name,
        message: 'Port 8080, says answer-two',
      })
      await world.model.sees('answer-two')
      await world.delivered(name)
      expect(world.model.count('answer-two', marker)).toBe(1)
    })

    it('is held until its pull request is filed', async () => {
      const { name, marker } = await world.stays()
      await world.send(name, [
        { shell: 'echo work > work.txt && git add work.txt && git commit -q -m "Work"' },
        { say: 'I think I am done.' },
        { call: 'file_pr', input: { title: 'Work', body: 'Some work.' } },
        { say: 'Filed.' },
      ])
      await world.model.sees(marker)
      await allowDialogs(
        world,
        [{ agent: name, cli }],
        async () => (await world.tree.agent(name)).pr !== null,
      )
      await world.state(name, 'idle')
      expect((await world.tree.agent(name)).pr).toMatchObject({ state: 'open' })
      const blocked = (await world.tree.events()).filter(
        (event) => event.type === 'stop.blocked' && event.payload.objection === 'no_pull_request',
      )
      expect(blocked).toHaveLength(1)
      await world.model.sees('file_pr')
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
        const { name } = await world.stays()
        await tree.call('send', { to: name, message: 'This is task-of-mailed.' })
        // Both come while it is busy: one batch. Who sends them need not be a real one.
        await model.holds('mailed')
        const mail = ['mail-content one', 'mail-content two']
        tree.script('sends', {
          steps: mail.map((message) => ({
            do: 'tool',
            name: 'send',
            input: { to: name, message },
          })),
        })
        const { spawned } = await tree.call('spawn_workers', {
          specs: [{ name: 'sends', prompt: 'Send them', agent: 'scripted' }],
        })
        const sender = spawned[0].agent_id
        await world.state('sends', 'idle')
        model.release('mailed')
        await model.sees('mail-content two')
        const done = await waitFor('the completion', async () => (await tree.agent(name)).outcome, {
          limit: LIMIT,
        })
        expect(done).toEqual({ success: true, summary: 'read all mail' })
        expect(model.count(`got mail from ${sender}`, 'task-of-mailed')).toBe(1)
      },
    )

    it('ends for good when it is killed', async () => {
      const { name, worktree } = await world.stays()
      await world.tree.call('kill', { agent: name })
      await waitFor('no process in its worktree', () => processesIn(worktree).length === 0, {
        limit: LIMIT,
      })
      expect((await world.tree.agent(name)).state).toBe('killed')
    })
  })

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
