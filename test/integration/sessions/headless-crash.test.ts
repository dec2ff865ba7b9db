import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crashAt, openJournal, startAgain } from '../../helpers/crash-at.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { processesOf, resultOf, hostPid, scriptedAcp } from '../../helpers/headless.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Sessions and background tasks live in the detached host, which outlives the daemon; what that
 * loses is a failure with what it left.
 */
describe('what runs without a terminal', () => {
  let tree: Exomonad
  const at = (name: string): string => join(tree.repository.path, name)
  const task = async (command: string): Promise<string> =>
    (await tree.call('spawn_background_task', { command })).agent_id
  const session = async (script: string, more: object = {}): Promise<string> =>
    (await tree.call('spawn_llm_session', { goal: `script:\n${script}`, ...more })).agent_id
  const statusOf = async (id: string): Promise<string> =>
    (await tree.call('agent_status', { agent_id: id })).status
  const reported = async (id: string): Promise<any[]> =>
    (await tree.events()).filter(
      ({ type, agentId }) => agentId === id && /^agent\.(completed|failed|idle|killed)$/.test(type),
    )
  const until = (name: string): string => `while [ ! -e ${name} ]; do sleep 0.05; done`

  beforeAll(async () => {
    tree = await startExomonad({
      config: `${scriptedAcp('scripted')}[headless]\nacp = "scripted"\n`,
    })
  })
  afterAll(() => tree?.stop())

  it('goes on while the daemon is gone, and its end is noticed afterwards', async () => {
    const lasting = await task(`echo begun; ${until('go-1')}; echo done; echo x > made.txt`)
    const ending = await task(`echo begun; ${until('go-2')}; exit 5`)
    const talking = await session(`say Before.\nrun ${until('go-2')}\nsay After.`)
    const busy = await session(`say Half.\nrun ${until('go-1')}\nsay Whole.`)
    const before = hostPid(tree)
    await tree.crash()
    writeFileSync(at('go-2'), '')
    await waitFor('the task to end', () => processesOf(ending).length === 0)
    await waitFor('the session to have said all', () =>
      /After\.[^]*the turn ended/.test(
        readFileSync(join(tree.state, 'outputs', `${talking}.log`), 'utf8'),
      ),
    )
    const gone = Date.now()
    // So much later that what was noticed then can be distinguished from what happened before.
    await waitFor('some time to pass', () => Date.now() > gone + 3000)
    const noticed = Date.now()
    await tree.command(['daemon', 'start'])
    expect(await resultOf(tree, ending)).toMatchObject({
      status: 'failed',
      summary: expect.stringMatching(/^exit code 5 after/),
      output: 'begun',
    })
    expect(await resultOf(tree, talking)).toMatchObject({
      status: 'completed',
      output: expect.stringContaining('After.'),
    })
    // When they ended, not when that was noticed.
    for (const id of [ending, talking]) {
      const { completed_at: end } = await tree.call('agent_status', { agent_id: id })
      expect([id, Date.parse(end) < noticed]).toEqual([id, true])
    }
    expect([await statusOf(lasting), await statusOf(busy)]).toEqual(['running', 'running'])
    expect(hostPid(tree)).toBe(before)
    writeFileSync(at('go-1'), '')
    expect(await resultOf(tree, lasting)).toMatchObject({
      status: 'completed',
      output: 'begun\ndone',
    })
    expect((await resultOf(tree, lasting)).files_modified).toContain('made.txt')
    expect(await resultOf(tree, busy)).toMatchObject({
      status: 'completed',
      output: expect.stringContaining('Whole.'),
    })
    for (const id of [ending, talking, lasting, busy]) {
      expect(await reported(id)).toHaveLength(1)
      await waitFor('nothing of it to be left', () => processesOf(id).length === 0)
    }
  })

  it('fails with what it had written where the host is killed, and leaves no process', async () => {
    const lost = await task(
      `trap '' TERM; echo half; (setsid sleep 500 &); while :; do sleep 1; done`,
    )
    const cut = await session('say Half of it.\nsleep 500000')
    await waitFor('both to have begun', () =>
      [lost, cut].every((id) =>
        /^half/im.test(readFileSync(join(tree.state, 'outputs', `${id}.log`), 'utf8')),
      ),
    )
    process.kill(hostPid(tree), 'SIGKILL')
    const failed = await resultOf(tree, lost)
    expect(failed).toMatchObject({
      status: 'failed',
      output: 'half',
      summary: expect.stringContaining('detached host'),
    })
    expect(await resultOf(tree, cut)).toMatchObject({
      status: 'failed',
      output: expect.stringContaining('Half of it.'),
    })
    for (const id of [lost, cut]) {
      await waitFor('nothing of it to be left', () => processesOf(id).length === 0)
      expect(await reported(id)).toHaveLength(1)
    }
    // Another host takes its place.
    expect(await resultOf(tree, await task('echo again'))).toMatchObject({
      status: 'completed',
      output: 'again',
    })
  })

  it('ends by its deadline also where that passes while the daemon is gone, or is set again by the next one', async () => {
    // Their time counts from the call on: the program has to be started in it, too.
    const early = await session('say Part.\nsleep 500000', { timeout_secs: 20 })
    const late = await session('say Part.\nsleep 500000', { timeout_secs: 30 })
    const began = Date.now()
    await waitFor('both to have begun', () =>
      [early, late].every((id) =>
        readFileSync(join(tree.state, 'outputs', `${id}.log`), 'utf8').includes('Part.'),
      ),
    )
    await tree.crash()
    await waitFor('the first deadline to pass', () => Date.now() > began + 20_000)
    await tree.command(['daemon', 'start'])
    for (const id of [early, late]) {
      expect(await resultOf(tree, id)).toMatchObject({
        status: 'failed',
        output: expect.stringContaining('Part.'),
        summary: expect.stringContaining('timeout_secs'),
      })
      await waitFor('nothing of it to be left', () => processesOf(id).length === 0)
    }
  })
  it.each([
    ['task', 'reserved'],
    ['task', 'pane'],
    ['task', 'live'],
    ['session', 'reserved'],
    ['session', 'pane'],
    ['session', 'live'],
  ])(
    'as a %s whose start is cut off by kill -9 at “%s” is there whole or not at all',
    async (kind, step) => {
      const before = (await tree.call('agent_status', {})).agents.map(({ agent_id: id }: any) => id)
      const { dead } = await crashAt(tree, 'spawn', step)
      // By nobody who asks again.
      const [tool, input] =
        kind === 'task'
          ? ['spawn_background_task', { command: 'sleep 500' }]
          : ['spawn_llm_session', { goal: 'script:\nsleep 500000' }]
      const call = tree
        .client()
        .callTool(String(tool), input)
        .then(
          () => 'answered',
          () => 'cut off',
        )
      await dead
      expect(await call).toBe('cut off')
      await startAgain(tree)
      expect(openJournal(tree)).toBe(0)
      const made = (await tree.call('agent_status', {})).agents.filter(
        ({ agent_id: id }: any) => !before.includes(id),
      )
      if (step !== 'live') {
        expect(made).toEqual([])
        expect(
          readdirSync(join(tree.state, 'outputs')).filter(
            (name) => !before.includes(name.replace('.log', '')),
          ),
        ).toEqual([])
        return
      }
      expect(made).toMatchObject([{ status: 'running' }])
      const id: string = made[0].agent_id
      expect(processesOf(id).length).toBeGreaterThan(0)
      await tree.call('kill_agent', { agent_id: id })
      await waitFor('nothing of it to be left', () => processesOf(id).length === 0)
    },
  )
})
