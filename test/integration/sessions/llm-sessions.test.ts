import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { processesOf, resultOf, scriptedAcp } from '../../helpers/headless.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

describe('LLM sessions', () => {
  let tree: Exomonad
  const at = (name: string): string => join(tree.repository.path, name)
  const start = async (script: string, more: object = {}, as?: string): Promise<string> => {
    const { agent_id: id, ...rest } = await tree.call(
      'spawn_llm_session',
      { goal: `script:\n${script}`, ...more },
      as === undefined ? {} : { as },
    )
    expect(rest).toEqual({ status: 'spawned' })
    return id
  }
  /** The prompt that it was given. */
  const promptOf = async (id: string): Promise<string> =>
    JSON.parse(
      (await resultOf(tree, id)).output.split('\n').find((line: string) => line.startsWith('"')),
    )
  const mailOf = async (id: string): Promise<any[]> =>
    (await tree.call('check_mail')).messages
      .filter(({ from }: any) => from === id)
      .map(({ message }: any) => JSON.parse(message))

  beforeAll(async () => {
    const config = `${scriptedAcp('scripted', '--models', 'small,large')}${scriptedAcp('narrow')}tools = ["note", "send"]\n[headless]\nacp = "scripted"\n`
    tree = await startExomonad({ config, files: { 'a.txt': '1', 'dirty.txt': '1' } })
    tree.script('lead', { steps: [{ do: 'print', text: 'leading' }] })
    await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
    await tree.logged('lead', 'its start', ({ kind }) => kind === 'ready')
  })
  afterAll(() => tree?.stop())

  it(
    verifies(
      'R003-01',
      'begin at once, run beside their caller, and end with their turn: its last words are their result',
    ),
    async () => {
      writeFileSync(at('dirty.txt'), 'before')
      const id = await start(
        `say Reading.\nrun while [ ! -e go ]; do sleep 0.05; done; rm go\nsave made.txt new\nusage 1000 50\ntool read a.txt\nsay All 12 pass.`,
      )
      expect(await tree.call('agent_status', { agent_id: id })).toMatchObject({
        kind: 'llm',
        status: 'running',
        parent_id: null,
        depth: 1,
      })
      expect(await tree.refusal('agent_result', { agent_id: id })).toMatchObject({
        code: 'RESULT_NOT_READY',
      })
      expect(
        await tree.agent((await tree.call('agent_status', { agent_id: id })).name),
      ).toMatchObject({
        runtime: 'acp',
        branch: 'main',
        worktree: tree.repository.path,
      })
      writeFileSync(at('go'), '')
      const result = await resultOf(tree, id)
      expect(result).toMatchObject({
        agent_id: id,
        status: 'completed',
        files_modified: ['made.txt'],
      })
      expect(result.output).toContain('All 12 pass.')
      expect(result.summary).toBe(result.output)
      rmSync(at('made.txt'))
      expect(await tree.call('agent_result', { agent_id: id })).toEqual(result)
      expect(await mailOf(id)).toEqual([{ status: 'idle', success: true, summary: result.summary }])
      const { tool_calls: calls, tokens } = await tree.call('agent_status', { agent_id: id })
      expect(calls).toBeGreaterThan(0)
      expect(tokens).toBeGreaterThanOrEqual(1050)
      expect(
        (await tree.events()).filter(
          ({ type, agentId }) =>
            agentId === id && /^agent\.(completed|failed|idle|killed)$/.test(type),
        ),
      ).toHaveLength(1)
      await waitFor(
        'nothing of it to be left',
        () => processesOf(id).length === 0 && !existsSync(join(tree.state, 'auth', id)),
      )
    },
  )

  it(
    verifies(
      'R003-10',
      'are given their task, what they are to know, and every tool that they have',
    ),
    async () => {
      const prompt = await promptOf(
        await start('prompt', { context: { 'The door': 'is blue', Code: '{{ name }} {% if %}' } }),
      )
      expect(prompt).toContain('- The door: is blue')
      expect(prompt).toContain('- Code: {{ name }} {% if %}')
      const forTechLeads = ALL_TOOLS.filter(
        (tool) => tool.listed && tool.audience.includes('tl') && tool.name !== 'file_pr',
      )
      expect(
        forTechLeads
          .filter(({ name, description }) => !prompt.includes(`- ${name}: ${description}`))
          .map(({ name }) => name),
      ).toEqual([])
    },
  )

  it(
    verifies('R003-07', 'have all of their caller’s tools, or exactly the named ones'),
    async () => {
      const toolsOf = async (more: object): Promise<string[]> => {
        const { output } = await resultOf(tree, await start('tools', more))
        return output
          .match(/\b[a-z]+(_[a-z]+)*\b/g)
          .filter((word: string) => ALL_TOOLS.some(({ name }) => name === word))
          .toSorted()
      }
      const always = ['ack', 'read_message']
      const listed = (names: readonly string[]): string[] =>
        ALL_TOOLS.filter((tool) => tool.listed && names.includes(tool.name)).map(({ name }) => name)
      expect(await toolsOf({})).toEqual(
        listed(ALL_TOOLS.filter((tool) => tool.audience.includes('tl')).map(({ name }) => name)),
      )
      expect(await toolsOf({ tools: ['note', 'agent_status'] })).toEqual(
        listed(['note', 'agent_status', ...always]),
      )
      // None is none: its program is given no server, and its prompt speaks of no tools.
      const bare = await resultOf(tree, await start('prompt\ntools', { tools: [] }))
      expect(bare.output).not.toMatch(
        new RegExp(ALL_TOOLS.map(({ name }) => `\\b${name}\\b: `).join('|')),
      )
      expect(bare.output.trimEnd().endsWith('"'), bare.output.slice(-200)).toBe(true)
      expect(
        await tree.refusal('spawn_llm_session', { goal: 'x', tools: ['note', 'reap', 'made_up'] }),
      ).toMatchObject({
        code: 'INVALID_ARG',
        unknown: ['reap', 'made_up'],
      })
      // What it was not given is refused as well, whoever calls it.
      const denied = await resultOf(
        tree,
        await start('call kill {"agent": "lead"}', { tools: ['note'] }),
      )
      expect(await tree.agent('lead')).toMatchObject({
        state: expect.stringMatching(/running|idle/),
      })
      expect(denied.status).toBe('completed')
    },
  )

  it(
    verifies(
      'R003-09',
      'are on record below whoever started them: nobody for the root’s, the session for its own',
    ),
    async () => {
      const id = await start(
        'call spawn_background_task {"command": "echo below"}\ncall spawn_llm_session {"goal": "script:\\nsay Nested."}',
      )
      await resultOf(tree, id)
      const below = (await tree.call('agent_status', {})).agents.filter(
        ({ parent_id: parent }: any) => parent === id,
      )
      expect(below.map(({ kind, depth }: any) => [kind, depth]).toSorted()).toEqual([
        ['llm', 2],
        ['process', 2],
      ])
      for (const { agent_id: child } of below)
        expect(await resultOf(tree, child)).toMatchObject({ status: 'completed' })
      expect(await tree.call('agent_status', { agent_id: id })).toMatchObject({ parent_id: null })
    },
  )

  it('say themselves that they failed, or are found to have', async () => {
    const root = (await tree.tree()).root.id
    const given = JSON.stringify({
      to: root,
      message: JSON.stringify({
        status: 'idle',
        success: false,
        error: 'no access',
        partial: 'half',
      }),
    })
    const own = await start(`call send ${given}\nsay So I stop.`)
    expect(await resultOf(tree, own)).toMatchObject({ status: 'failed', summary: 'no access' })
    expect(await mailOf(own)).toEqual([
      { status: 'idle', success: false, error: 'no access', partial: 'half' },
    ])

    for (const [script, why] of [
      ['say Part.\nerror the model is away', /model is away/],
      ['say Part.\nstop refusal', /refused/],
      ['say Part.\nstop max_tokens', /too long/],
      ['say Part.\ncrash 3', /exit code 3/],
      ['say Part.\ncrash SIGKILL', /SIGKILL/],
    ] as const) {
      const id = await start(script)
      const result = await resultOf(tree, id)
      expect([script, result]).toMatchObject([
        script,
        {
          status: 'failed',
          summary: expect.stringMatching(why),
          output: expect.stringContaining('Part.'),
        },
      ])
      expect(await mailOf(id)).toMatchObject([
        { success: false, error: result.summary, partial: expect.stringContaining('Part.') },
      ])
    }
  })

  it('that said nothing have an output without the prompt that exomonad wrote, however long it was', async () => {
    for (const [script, context, output] of [
      ['error the model is away', {}, /^── the turn ended: error: [^\n]*model is away/],
      ['tool read a.txt\ncrash 3', {}, /^⏺ a\.txt\n/],
      ['stderr out of memory\ncrash SIGKILL', {}, /out of memory/],
      [
        'stop refusal',
        { long: Array.from({ length: 3000 }, (_none, line) => `  line ${line}`).join('\n\n') },
        /^(\[The beginning is not shown[^\n]*\]\n)?── the turn ended: refusal/,
      ],
    ] as const) {
      const id = await start(script, { context })
      const result = await resultOf(tree, id)
      expect([script, result]).toMatchObject([
        script,
        { status: 'failed', output: expect.stringMatching(output) },
      ])
      expect(result.output).not.toMatch(/You are |Your task:|line 2/)
      const [mail] = await mailOf(id)
      expect(mail.partial ?? '').not.toMatch(/Your task:|line 2/)
      // Whoever follows it sees the prompt.
      expect(readFileSync(join(tree.state, 'outputs', `${id}.log`), 'utf8')).toContain('Your task:')
    }
  })

  it('fail by their timeout, and are killed, with what they had said', async () => {
    // Its program is started in that time, too.
    const slow = await start('say Half.\nhang', { timeout_secs: 20 })
    const killed = await start('say Half.\nterm sleep 500\nhang')
    await waitFor('it to say half', () =>
      /^Half\./m.test(readFileSync(join(tree.state, 'outputs', `${killed}.log`), 'utf8')),
    )
    expect(await tree.call('kill_agent', { agent_id: killed })).toEqual({ killed: true })
    expect(await resultOf(tree, killed)).toMatchObject({
      status: 'killed',
      output: expect.stringContaining('Half.'),
    })
    expect(await resultOf(tree, slow)).toMatchObject({
      status: 'failed',
      summary: expect.stringContaining('20 s'),
      output: expect.stringContaining('Half.'),
    })
    for (const id of [slow, killed])
      await waitFor('nothing of it to be left', () => processesOf(id).length === 0)
    expect(await tree.refusal('spawn_llm_session', { goal: 'x', timeout_secs: 0 })).toMatchObject({
      code: 'INVALID_ARG',
    })
  })

  it('get what is sent to them before they end', async () => {
    const id = await start('say First.\nrun while [ ! -e sent ]; do sleep 0.05; done; rm sent')
    await tree.call('send', { to: id, message: 'script:\nsay Second.' })
    writeFileSync(at('sent'), '')
    expect((await resultOf(tree, id)).output).toContain('Second.')
  })

  it('use the model that is named, and are not begun with one that is not offered', async () => {
    expect(await resultOf(tree, await start('say x', { model: 'large' }))).toMatchObject({
      status: 'completed',
    })
    const before = (await tree.call('agent_status', {})).agents.length
    const refused = await tree.refusal('spawn_llm_session', {
      goal: 'script:\nsay x',
      model: 'enormous',
    })
    expect(refused.error).toContain('large')
    expect((await tree.call('agent_status', {})).agents).toHaveLength(before)
  })
})

describe('results of agents with a worktree', () => {
  it('show what they reported and changed, committed or not, also once the worktree is gone', async () => {
    const tree = await startExomonad()
    try {
      tree.script('auth', {
        steps: [
          { do: 'write', path: 'committed.txt', content: 'a' },
          { do: 'commit', message: 'Add it' },
          { do: 'write', path: 'uncommitted.txt', content: 'b' },
          { do: 'complete', success: true, summary: 'It is written.' },
        ],
      })
      const { spawned } = await tree.call('spawn_workers', {
        specs: [{ name: 'auth', prompt: 'Do it' }],
      })
      const { agent_id: id, worktree } = spawned[0]
      await waitFor(
        'its report',
        async () => (await tree.call('agent_status', { agent_id: id })).status === 'completed',
        { limit: 30_000 },
      )
      const files = ['committed.txt', 'uncommitted.txt']
      expect(await tree.call('agent_result', { agent_id: id })).toMatchObject({
        status: 'completed',
        summary: 'It is written.',
        files_modified: files,
      })
      await tree.call('kill', { agent: 'auth' })
      expect(await tree.call('agent_result', { agent_id: id })).toMatchObject({
        status: 'killed',
        summary: 'It is written.',
        files_modified: files,
      })
      await tree.repository.git('worktree', 'remove', '--force', worktree)
      await tree.repository.git('branch', '-D', 'main.auth')
      expect(await tree.call('agent_result', { agent_id: id })).toMatchObject({
        status: 'killed',
        files_modified: files,
      })
    } finally {
      await tree.stop()
    }
  })
})
