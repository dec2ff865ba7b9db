import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../requirements.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { plays } from '../fixtures/model-server/script.ts'
import type { AcpAgent } from './acp-agent.ts'
import { requireInstalled } from './real-cli.ts'
import { startWorld, type World } from './world.ts'
import { LIMIT } from './limits.ts'

const LONG = { limit: LIMIT, every: 200 }

/** What an agent that speaks the Agent Client Protocol must do in a tree without a terminal. */
export const acpEndToEnd = (agent: AcpAgent): void => {
  const { name } = agent
  describe.skipIf(!requireInstalled([{ name: agent.program }]))(`${name}, the real one`, () => {
    let world: World
    // Of what they unpack there, or have there while a command runs, some of them leave things
    // behind.
    let temporary: string
    beforeAll(async () => {
      temporary = mkdtempSync(join(tmpdir(), 'acp-'))
      world = await startWorld([agent.cli], {
        tl: agent.cli.name,
        dev: agent.cli.name,
        runtime: 'acp',
        config: (model) => `[headless]
acp = "${name}"
[acp.${name}]
permission = "ask"
allow = ["edit"]
env = { ${Object.entries({ TMPDIR: temporary, ...agent.env?.(model) })
          .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
          .join(', ')} }
[roles.dev.permissions]
policy = "all"
`,
      })
    }, 120_000)
    afterAll(async () => {
      await world?.stop()
      rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
    })

    // Over the daemon’s socket: a program for each look would take more of the machine than the
    // agents.
    const ask = (tool: string, input: unknown = {}): Promise<any> =>
      world.tree.client().callTool(tool, input)
    const statusOf = (id: string): Promise<any> => ask('agent_status', { agent_id: id })
    const worker = async (): Promise<any> =>
      (await ask('tree')).root.children.find((node: any) => node.name === 'files')
    const becomes = (state: string): Promise<any> =>
      waitFor(`the worker to be ${state}`, async () => (await worker()).state === state, LONG)
    const question = (): Promise<any> =>
      waitFor('the question in the inbox', async () => (await ask('inbox')).approvals[0], LONG)

    it(
      verifies(
        'R003-01',
        verifies(
          'R003-04',
          'reaches its goal as a session: with exomonad’s tools and its own, after a person let it what it asked for',
        ),
      ),
      async () => {
        const { tree, model } = world
        const made = join(tree.repository.path, 'made.txt')
        model.script(
          'goal',
          { call: 'note', input: { message: 'on my way' } },
          agent.edit(made, 'made'),
          { shell: 'touch asked.txt' },
          { say: 'All of it is done.' },
        )
        const { agent_id: id } = await tree.call('spawn_llm_session', {
          goal: `The goal of this is clear. ${plays('goal')}`,
        })
        const approval = await question()
        expect(approval.what).toContain('touch asked.txt')
        // What it asks about has begun, also where it never said so.
        expect(
          (await tree.events()).filter(
            ({ type, payload }) => type === 'agent.tool' && payload.phase === 'started',
          ),
        ).toHaveLength(3)
        const { name: called, status } = await statusOf(id)
        expect(status).toBe('running')
        expect(await tree.agent(called)).toMatchObject({ state: 'waiting' })
        await expect(ask('agent_result', { agent_id: id })).rejects.toMatchObject({
          code: 'RESULT_NOT_READY',
        })
        expect(readFileSync(made, 'utf8')).toBe('made\n')

        const { code, stderr } = await tree.run(['approve', approval.approval_id])
        expect(code, stderr).toBe(0)
        await waitFor('its end', async () => (await statusOf(id)).status !== 'running', LONG)
        const result = await ask('agent_result', { agent_id: id })
        expect(result).toMatchObject({
          status: 'completed',
          summary: 'All of it is done.',
          files_modified: ['asked.txt', 'made.txt'],
        })
        expect(result.output).toContain('All of it is done.')
        const ended = await statusOf(id)
        expect(ended.tool_calls).toBeGreaterThanOrEqual(3)
        expect(ended.tokens).toBeGreaterThanOrEqual(agent.tokens)
        expect(
          (await ask('inbox')).messages.some(({ text }: any) => text.includes('on my way')),
        ).toBe(true)
        await waitFor('nothing of it to run', () => processesOf(id).length === 0, LONG)
        // What is not committed is in the way of workers.
        for (const file of result.files_modified) rmSync(join(tree.repository.path, file))
      },
    )

    it('is over, without what was denied, where a person denies it', async () => {
      const { tree, model } = world
      model.script('denied', { shell: 'touch denied.txt' }, { say: 'I leave it.' })
      const { agent_id: id } = await tree.call('spawn_llm_session', {
        goal: `This goal is wrong. ${plays('denied')}`,
      })
      const { approval_id: approval } = await question()
      const { code, stderr } = await tree.run(['deny', approval, '--reason', 'not-in-this-house'])
      expect(code, stderr).toBe(0)
      await waitFor('its end', async () => (await statusOf(id)).status !== 'running', LONG)
      expect(await ask('agent_result', { agent_id: id })).toMatchObject({ files_modified: [] })
      expect(existsSync(join(tree.repository.path, 'denied.txt'))).toBe(false)
    })

    it('works as a worker: commits, files its pull request, is idle, and reads a message once', async () => {
      const { marker } = await world.worker('files', [
        { shell: 'echo work > work.txt && git add work.txt && git commit -q -m "Work"' },
        { say: 'I think I am done.' },
        { call: 'file_pr', input: { title: 'Work', body: 'Some work.' } },
        { say: 'Filed.' },
      ])
      await waitFor('its pull request', async () => (await worker()).pr !== null, LONG)
      await becomes('idle')
      const node = await worker()
      expect(node).toMatchObject({ runtime: 'acp', agent: `acp:${name}`, pr: { state: 'open' } })
      const word = await world.send('files', [{ say: 'Read it.' }])
      await world.model.sees(word)
      await world.delivered('files')
      await becomes('idle')
      expect(world.model.count(word, marker)).toBe(1)
    })

    it('goes on while the daemon is killed in the middle of its turn', async () => {
      const word = await world.send('files', [
        { call: 'note', input: { message: 'after the crash' }, hold: 'crash' },
        { say: 'Done.' },
      ])
      await world.model.holds('crash')
      await world.tree.crash()
      await world.tree.call('tree')
      world.model.release('crash')
      await waitFor(
        'the note',
        async () =>
          (await ask('inbox')).messages.some(({ text }: any) => text.includes('after the crash')),
        LONG,
      )
      await becomes('idle')
      await world.delivered('files')
      expect(world.model.count(word, 'task-of-files')).toBe(1)
    })

    if (agent.loadsAtOnce) {
      it('takes its own conversation up again after it died', async () => {
        const { id, pid } = await worker()
        process.kill(pid, 'SIGKILL')
        await becomes('failed')
        await waitFor('nothing of it to run', () => processesOf(id).length === 0, LONG)
        const { code, stderr } = await world.tree.command(['resume', 'files'])
        expect(code, stderr).toBe(0)
        const word = await world.send('files', [{ say: 'Read that too.' }])
        await world.model.sees(word)
        await becomes('idle')
        expect(world.model.count(word, 'task-of-files')).toBe(1)
      })
    }

    it(
      verifies('R003-05', 'leaves no process when it is killed in the middle of a command'),
      async () => {
        await world.send('files', [{ shell: 'tail -n 43 -f /dev/null' }, { say: 'Never said.' }])
        const { id } = await worker()
        await waitFor(
          'the command to run',
          () => processesOf(id).some(({ command }) => command.startsWith('tail -n 43')),
          LONG,
        )
        expect(await ask('kill_agent', { agent_id: id })).toEqual({ killed: true })
        await waitFor('nothing of it to run', () => processesOf(id).length === 0, LONG)
        expect(await statusOf(id)).toMatchObject({ status: 'killed' })
        await expect(ask('kill_agent', { agent_id: id })).rejects.toMatchObject({
          code: 'ALREADY_DEAD',
        })
      },
    )
  })
}

/** All that runs with the environment of this agent. */
function processesOf(agentId: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        return environment.includes(`EXOMONAD_AGENT_ID=${agentId}`) && command !== ''
          ? [{ pid, command }]
          : []
      } catch {
        return []
      }
    })
}
