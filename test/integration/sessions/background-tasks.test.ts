import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { processesOf, resultOf } from '../../helpers/headless.ts'
import { removedNotice } from '../../../src/domain/formats/output-notices.ts'
import { connectMcp } from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

describe('background tasks', () => {
  let tree: Exomonad
  const at = (name: string): string => join(tree.repository.path, name)
  const start = async (command: string, as?: string): Promise<string> => {
    const { agent_id: id, ...rest } = await tree.call(
      'spawn_background_task',
      { command },
      as === undefined ? {} : { as },
    )
    expect(rest).toEqual({ status: 'spawned' })
    return id
  }
  const outputFile = (id: string): string => join(tree.state, 'outputs', `${id}.log`)

  beforeAll(async () => {
    tree = await startExomonad({
      files: {
        'kept.txt': '1',
        'edited.txt': '1',
        'gone.txt': '1',
        'old.txt': 'x'.repeat(300),
        'dirty.txt': '1',
      },
    })
    tree.script('lead', { steps: [{ do: 'print', text: 'leading' }] })
    await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
    await tree.logged('lead', 'its start', ({ kind }) => kind === 'ready')
  })
  afterAll(() => tree?.stop())

  it(
    verifies(
      'R003-02',
      'run beside their caller, in its worktree, and notify it once when they end',
    ),
    async () => {
      const id = await start(
        `printf 'out\\n'; printf 'err\\n' >&2; pwd; echo "token:$EXOMONAD_TOKEN"; echo "$EXOMONAD_AGENT_ID"; while [ ! -e go ]; do sleep 0.05; done; rm go`,
      )
      expect(await tree.call('agent_status', { agent_id: id })).toMatchObject({
        kind: 'process',
        name: 'printf-out-n',
        status: 'running',
        completed_at: null,
      })
      expect(await tree.refusal('agent_result', { agent_id: id })).toMatchObject({
        code: 'RESULT_NOT_READY',
        error: expect.stringMatching(/^No result available \(agent may still be running\)/),
      })
      writeFileSync(at('go'), '')
      const result = await resultOf(tree, id)
      expect(result).toMatchObject({
        agent_id: id,
        status: 'completed',
        files_modified: [],
        elapsed_secs: expect.any(Number),
      })
      expect(result.summary).toMatch(/^exit code 0 after [\d.]+ s$/)
      expect(result.output.split('\n').toSorted()).toEqual(
        ['out', '[stderr] err', tree.repository.path, 'token:', id].toSorted(),
      )
      expect(await tree.call('agent_result', { agent_id: id })).toEqual(result)

      const { messages } = await tree.call('check_mail')
      expect(
        messages
          .filter(({ from }: any) => from === id)
          .map(({ message }: any) => JSON.parse(message)),
      ).toEqual([{ status: 'idle', success: true, summary: result.summary }])
      const reported = (await tree.events()).filter(
        ({ type, agentId }) => agentId === id && /agent\.(completed|failed|idle|killed)/.test(type),
      )
      expect(reported).toHaveLength(1)
      expect(processesOf(id)).toEqual([])
    },
  )

  it(
    verifies(
      'R003-04',
      'leave a result when they fail, to be read again and again: summary, output, changed files and time',
    ),
    async () => {
      writeFileSync(at('dirty.txt'), 'dirty before')
      writeFileSync(at('untracked before.txt'), 'x')
      const id = await start(
        `sleep 0.2; printf 2 > edited.txt; rm gone.txt; mv old.txt new.txt; mkdir -p sub; echo x > 'sub/a b.txt'; echo 2 > kept.txt; git commit -qm One kept.txt; echo oops >&2; exit 3`,
      )
      const result = await resultOf(tree, id)
      expect(result).toEqual({
        agent_id: id,
        status: 'failed',
        summary: expect.stringMatching(/^exit code 3 after /),
        output: '[stderr] oops',
        files_modified: ['edited.txt', 'gone.txt', 'kept.txt', 'new.txt', 'old.txt', 'sub/a b.txt'],
        elapsed_secs: expect.any(Number),
      })
      expect(result.elapsed_secs).toBeGreaterThanOrEqual(0.2)
      await tree.repository.git('checkout', '-q', '--', '.')
      for (const name of ['new.txt', 'sub', 'untracked before.txt'])
        rmSync(at(name), { recursive: true })
      expect(await tree.call('agent_result', { agent_id: id })).toEqual(result)
      const { messages } = await tree.call('check_mail')
      expect(JSON.parse(messages.find(({ from }: any) => from === id).message)).toEqual({
        ...{ status: 'idle', success: false },
        ...{ error: result.summary, partial: '[stderr] oops' },
      })
    },
  )

  it(
    verifies(
      'R003-06',
      'read lines from write_stdin, as often as they like, counted with the newline',
    ),
    async () => {
      const id = await start(
        `while read -r line; do echo "got $line"; [ "$line" = end ] && exit 0; done`,
      )
      expect(await tree.call('write_stdin', { agent_id: id, data: 'one' })).toEqual({
        written_bytes: 4,
      })
      expect(await tree.call('write_stdin', { agent_id: id, data: 'zwölf 語' })).toEqual({
        written_bytes: Buffer.byteLength('zwölf 語\n'),
      })
      expect(await tree.call('write_stdin', { agent_id: id, data: '' })).toEqual({
        written_bytes: 1,
      })
      await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          tree.call('write_stdin', { agent_id: id, data: `same-${index}-${'x'.repeat(2000)}` }),
        ),
      )
      await tree.call('write_stdin', { agent_id: id, data: 'end' })
      const lines = (await resultOf(tree, id)).output.split('\n')
      expect(lines.slice(0, 3)).toEqual(['got one', 'got zwölf 語', 'got '])
      expect(lines.slice(3, 8).toSorted()).toEqual(
        Array.from({ length: 5 }, (_, index) => `got same-${index}-${'x'.repeat(2000)}`),
      )
      expect(await tree.refusal('write_stdin', { agent_id: id, data: 'late' })).toMatchObject({
        code: 'STDIN_CLOSED',
      })
      expect(await tree.refusal('write_stdin', { agent_id: 'lead', data: 'x' })).toMatchObject({
        code: 'INVALID_ARG',
        error: expect.stringContaining('send'),
      })
    },
  )

  it(
    verifies(
      'R003-05',
      'are killed with all that they started, also what ignores signals or left its group; what ended keeps its status',
    ),
    async () => {
      const id = await start(
        `trap '' TERM HUP INT; echo begun; (setsid sh -c 'trap "" TERM HUP; sleep 500' >/dev/null 2>&1 &); sh -c 'trap "" TERM; sleep 500; :' & while :; do sleep 1; done`,
      )
      await waitFor('all of it to run', () => processesOf(id).length >= 4)
      expect(await tree.call('kill_agent', { agent_id: id })).toEqual({ killed: true })
      await waitFor('all of it to be gone', () => processesOf(id).length === 0)
      expect(await tree.call('agent_status', { agent_id: id })).toMatchObject({
        status: 'killed',
        completed_at: expect.any(String),
      })
      expect(await tree.call('agent_result', { agent_id: id })).toMatchObject({
        status: 'killed',
        output: 'begun',
      })
      expect(await tree.refusal('kill_agent', { agent_id: id })).toMatchObject({
        code: 'ALREADY_DEAD',
      })
      expect(await tree.refusal('kill_agent', { agent_id: 'nobody' })).toMatchObject({
        code: 'AGENT_NOT_FOUND',
        error: expect.stringMatching(/^Agent not found/),
      })

      const done = await start('exit 4')
      await resultOf(tree, done)
      expect(await tree.refusal('kill_agent', { agent_id: done })).toMatchObject({
        code: 'ALREADY_DEAD',
      })
      expect(await tree.call('agent_status', { agent_id: done })).toMatchObject({
        status: 'failed',
      })
    },
  )

  it('are waited for as other agents are', async () => {
    const ids = [await start('sleep 0.3; echo one'), await start('sleep 0.6; exit 9')]
    const { results } = await tree.call('wait', { timeout: 60, from_agents: ids })
    expect(results.map(({ agent_id: id, status }: any) => [id, status])).toEqual(
      ids.map((id) => [id, 'received']),
    )
    expect(results.map(({ message }: any) => JSON.parse(message).success)).toEqual([true, false])
    expect(
      (await tree.call('wait', { timeout: 0, from_agents: ids })).results.map(
        ({ status }: any) => status,
      ),
    ).toEqual(['dead', 'dead'])
    expect((await tree.call('inbox', {})).messages.map(({ text }: any) => text)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^\[CHILD COMPLETE\] sleep-0-3 \(background task\): exit code 0 after .*\n`exomonad result sleep-0-3`/,
        ),
        expect.stringMatching(
          /^\[CHILD FAILED\] sleep-0-6 \(background task\): exit code 9 after .*\n`exomonad result sleep-0-6`/,
        ),
      ]),
    )
  })

  it('that write much keep their last lines at hand and all of it on disk', async () => {
    const id = await start(
      'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo "line $i"; done; yes x | head -c 20000000',
    )
    const { output, status } = await resultOf(tree, id)
    expect(status).toBe('completed')
    const lines = output.split('\n')
    expect(lines[0]).toContain(outputFile(id))
    expect(lines).toHaveLength(1001)
    expect(statSync(outputFile(id)).size).toBeGreaterThan(20_000_000)
    expect(readFileSync(outputFile(id), 'utf8').startsWith('line 1\nline 2\n')).toBe(true)
  })

  it('that flood stay within bounds on disk, and no result or message names a file that is not there', async () => {
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    const before = readFileSync(config, 'utf8')
    writeFileSync(config, `${before}\n[retention]\noutputs_mb = 4\n`)
    const bound = 1_000_000
    const id = await start(
      'echo first; while [ ! -e stop ]; do yes | head -c 10000000; done; rm stop; echo last',
    )
    let largest = 0
    const size = (): number => statSync(outputFile(id), { throwIfNoEntry: false })?.size ?? 0
    const gone = (): number =>
      Number(/(\d+) bytes are gone here/.exec(readFileSync(outputFile(id), 'latin1'))?.[1] ?? 0)
    await waitFor(
      '200 MB of it',
      () => ((largest = Math.max(largest, size())), size() > 0 && gone() > 200_000_000),
      { limit: 90_000 },
    )
    writeFileSync(at('stop'), '')
    const result = await resultOf(tree, id)
    // One batch more than the bound, and while it is cut what is kept of it once more.
    expect(largest).toBeLessThan(bound + 1_500_000)
    expect(size()).toBeLessThanOrEqual(bound)
    expect(readFileSync(outputFile(id), 'latin1')).toMatch(
      /^first\ny\n[^]*\[exomonad\] +\d+ bytes are gone here[^]*\nlast\n$/,
    )
    expect(result.output.split('\n')[0]).toBe(
      `[The beginning is not shown; its file is ${outputFile(id)}]`,
    )
    const reported = [
      await tree.call('check_mail'),
      await tree.call('inbox', {}),
      await tree.events(),
      await tree.call('agent_status', { agent_id: id }),
    ]
    expect(JSON.stringify(reported)).toContain(id)
    expect(JSON.stringify(reported)).not.toContain(outputFile(id))
    // As retention leaves it, and as somebody else might.
    writeFileSync(outputFile(id), removedNotice(0, 5_000_000, 4_000_000))
    const removed = await tree.call('agent_result', { agent_id: id })
    expect(removed.output.split('\n')[0]).toMatch(
      /^\[The beginning is not shown; its file was removed on 1970-01-01T[^]*: it had 5\.0 MB, [^]*outputs_mb\)\]$/,
    )
    rmSync(outputFile(id))
    const missing = await tree.call('agent_result', { agent_id: id })
    expect(missing.output.split('\n')[0]).toBe(
      '[The beginning is not shown; its file is not there any more]',
    )
    for (const later of [removed, missing])
      expect(later.output.split('\n').slice(1)).toEqual(result.output.split('\n').slice(1))
    writeFileSync(config, before)
  })

  it('whose parent ended go on, and notify whoever is above; a kill takes them along', async () => {
    const nested = await start('echo nested; sleep 500', 'lead')
    const lead = (await tree.agent('lead')).id
    expect(await tree.call('agent_status', { agent_id: nested })).toMatchObject({
      parent_id: lead,
      depth: 2,
      status: 'running',
    })
    const token = readFileSync(join(tree.state, 'auth', lead), 'utf8')
    const asLead = { EXOMONAD_TOKEN: token, EXOMONAD_AGENT_ID: lead }
    const own = await start('sleep 500')
    for (const [tool, input] of Object.entries({
      agent_result: {},
      kill_agent: {},
      write_stdin: { data: 'x' },
    })) {
      const refused = await tree.command(
        ['call', tool, JSON.stringify({ agent_id: own, ...input })],
        {
          env: asLead,
        },
      )
      expect([tool, refused.json]).toMatchObject([tool, { code: 'NOT_A_CHILD' }])
    }
    expect(
      (
        await tree.command(['call', 'kill_agent', JSON.stringify({ agent_id: nested })], {
          env: asLead,
        })
      ).json,
    ).toEqual({ killed: true })
    await tree.call('kill_agent', { agent_id: own })

    const below = await start('echo below; sleep 500', 'lead')
    await tree.call('kill', { agent: 'lead' })
    expect(await tree.call('agent_status', { agent_id: below })).toMatchObject({ status: 'killed' })
    await waitFor('what ran below it to end', () => processesOf(below).length === 0)
  })

  it(verifies('R003-03', 'are shown one by one or all together'), async () => {
    const { agents: all } = await tree.call('agent_status', {})
    expect(all.length).toBeGreaterThan(5)
    for (const one of all)
      expect(await tree.call('agent_status', { agent_id: one.agent_id })).toEqual(one)
    expect(all.map(({ name }: any) => name)).not.toContain('root')
    expect(await tree.refusal('agent_status', { agent_id: 'nobody' })).toMatchObject({
      code: 'AGENT_NOT_FOUND',
    })
  })

  it(verifies('R003-08', 'are refused in JSON, by every surface'), async () => {
    expect(await tree.refusal('spawn_background_task', { command: ' \n ' })).toMatchObject({
      code: 'INVALID_ARG',
      field: 'command',
    })
    expect(await tree.refusal('spawn_background_task', {})).toMatchObject({ code: 'INVALID_ARG' })
    await expect(
      tree.client().callTool('spawn_background_task', { command: '' }),
    ).rejects.toMatchObject({ code: 'INVALID_ARG' })
    const printed = await tree.command(['call', 'spawn_llm_session', '{"goal":"x"}'])
    expect(printed.code).toBe(1)
    expect(printed.json).toMatchObject({
      code: 'NOT_AVAILABLE',
      error: expect.stringMatching(/^Sub-agent tools not available/),
    })
    await expect(tree.client().callTool('spawn_llm_session', { goal: 'x' })).rejects.toMatchObject({
      code: 'NOT_AVAILABLE',
    })
  })

  it('are started, followed and refused over MCP by an agent, with its own token', async () => {
    tree.script('second', { steps: [{ do: 'print', text: 'leading' }] })
    const { agent_id: lead } = await tree.call('spawn_subtree', {
      task: 'Lead',
      branch_name: 'second',
    })
    const token = readFileSync(join(tree.state, 'auth', lead), 'utf8')
    const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
    const client = await connectMcp('v2', 'stdio', {
      url: '',
      token,
      socket,
      cwd: tree.repository.path,
      env: { EXOMONAD_AGENT_ID: lead },
    })
    try {
      const six = [
        'agent_result',
        'agent_status',
        'kill_agent',
        'spawn_background_task',
        'spawn_llm_session',
        'write_stdin',
      ]
      expect(
        (await client.list()).map(({ name }) => name).filter((name) => six.includes(name)),
      ).toEqual(six)
      const id = (
        await client.call('spawn_background_task', { command: 'read -r word; echo "$word"' })
      ).structuredContent?.['agent_id']
      expect(
        (await client.call('write_stdin', { agent_id: id, data: 'hello' })).structuredContent,
      ).toEqual({ written_bytes: 6 })
      expect(await resultOf(tree, id)).toMatchObject({ status: 'completed', output: 'hello' })
      expect((await client.call('agent_result', { agent_id: id })).structuredContent).toMatchObject(
        { output: 'hello' },
      )
      // One shape, over MCP and on the command line.
      for (const address of [[], [String(id)]]) {
        const { structuredContent, content } = await client.call(
          'agent_status',
          address.length === 0 ? {} : { agent_id: id },
        )
        expect(structuredContent).toEqual(
          (await tree.command(['status', ...address, '--json'])).json,
        )
        expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent)
        expect(JSON.stringify(structuredContent)).toContain(id)
      }
      for (const [tool, input, code] of [
        ['agent_result', { agent_id: 'nobody' }, 'AGENT_NOT_FOUND'],
        ['agent_result', { agent_id: lead }, 'NOT_A_CHILD'],
        ['kill_agent', { agent_id: id }, 'ALREADY_DEAD'],
        ['spawn_llm_session', { goal: 'x' }, 'NOT_AVAILABLE'],
      ] as const) {
        const refused = await client.call(tool, input)
        expect([tool, refused.isError, JSON.parse(refused.content[0]?.text ?? '')]).toMatchObject([
          tool,
          true,
          { code, error: expect.any(String) },
        ])
      }
    } finally {
      await client.close()
    }
  })

  it('run up to the limit at the same time, and none beyond it', async () => {
    const client = tree.client()
    const asked = await Promise.allSettled(
      Array.from({ length: 14 }, () => client.call('spawn_background_task', { command: 'cat' })),
    )
    const started = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value.agent_id] : []))
    const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(started).toHaveLength(10)
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['LIMIT_REACHED']))
    expect(refused[0].message).toContain('max_live_headless')
    const names = (await tree.call('agent_status', {})).agents
      .filter(({ kind, status }: any) => kind === 'process' && status === 'running')
      .map(({ name }: any) => name)
    expect(new Set(names).size).toBe(10)
    await Promise.all(started.map((id) => client.callTool('kill_agent', { agent_id: id })))
    await waitFor('all of them to be gone', () =>
      started.every((id) => processesOf(id).length === 0),
    )
    expect((await resultOf(tree, await start('true'))).status).toBe('completed')
  })

  it('are ended by `down`, and not brought back', async () => {
    const id = await start('sleep 500')
    await tree.command(['down'])
    await tree.command(['daemon', 'start'])
    expect(await tree.call('agent_status', { agent_id: id })).toMatchObject({ status: 'killed' })
    expect(processesOf(id)).toEqual([])
    expect((await tree.command(['resume', id, '--json'])).code).not.toBe(0)
    expect(existsSync(join(tree.state, 'launch', `${id}.sh`))).toBe(false)
  })
})
