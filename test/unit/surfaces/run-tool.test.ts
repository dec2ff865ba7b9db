import { createTextGate } from '../../../src/sanitize/text-gate.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Caller } from '../../../src/domain/caller.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { listTools, runTool } from '../../../src/surfaces/run-tool.ts'
import { ALL_TOOLS, toolNamed } from '../../../src/tools/all.ts'
import { defineTool, type AnyTool } from '../../../src/tools/define.ts'
import { verifies } from '../../requirements.ts'
import { AGENTS, scriptedCore } from './scripted-core.ts'

const as = (name: keyof typeof AGENTS): Caller => ({ kind: 'agent', agent: AGENTS[name] })
const human = (name: keyof typeof AGENTS = 'root'): Caller => ({
  kind: 'human',
  agent: AGENTS[name],
})
const roleTools = (role: string) =>
  role === 'auditor' ? ['pr_diff', 'spawn_workers', 'inbox'] : undefined

const spawned = { spawned: [], errors: [] }
const core = scriptedCore({
  acting: { record: async () => {} },
  spawning: { spawn: async () => spawned },
  messages: {
    note: async () => ({ status: 'sent' }),
    ack: async (_caller, ids) => ({ acked: [...ids], unknown: [] }),
    inbox: async () => ({
      ...{ items: [], next: null, total: 0, by_type: {} },
      ...{ news: [], messages: [], questions: [], approvals: [] },
    }),
  },
})
const call = (caller: Caller) => ({
  core,
  caller,
  signal: new AbortController().signal,
  roleTools,
  gate: createTextGate(),
  log: silentLog(),
})
const named = (name: string): AnyTool => {
  const tool = toolNamed(name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}
const names = (caller: Caller, all = false): string[] =>
  listTools(ALL_TOOLS, caller, { roleTools, all }).map((tool) => tool.name)
const specs = { specs: [{ name: 'a', prompt: 'do it' }] }

describe('runTool', () => {
  it('runs a tool for a role that may', async () => {
    await expect(runTool(named('spawn_workers'), call(as('lead')), specs)).resolves.toEqual(spawned)
  })

  it.each([
    'spawn_workers',
    'spawn_subtree',
    'merge_pr',
    'answer_question',
    'kill',
    'inbox',
    'spawn_agents',
  ])(verifies('R004-07', 'refuses %s to a dev agent, and does not list it'), async (name) => {
    await expect(runTool(named(name), call(as('dev')), {})).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
      facts: { tool: name, role: 'dev' },
    })
    expect(names(as('dev'))).not.toContain(name)
  })

  it('refuses what only the human may to every agent, the root’s included', async () => {
    for (const tool of ALL_TOOLS.filter(({ audience }) =>
      audience.every((entry) => entry === 'human'),
    ))
      for (const name of ['root', 'lead', 'dev', 'auditor'] as const)
        await expect(
          runTool(tool, call(as(name)), {}),
          `${tool.name} by ${name}`,
        ).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
  })

  it('lets the human use everything, but for another agent only what its role may', async () => {
    await expect(runTool(named('inbox'), call(human()), {})).resolves.toMatchObject({
      messages: [],
    })
    await expect(runTool(named('spawn_workers'), call(human('lead')), specs)).resolves.toEqual(
      spawned,
    )
    await expect(runTool(named('spawn_workers'), call(human('dev')), specs)).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
    await expect(runTool(named('inbox'), call(human('lead')), {})).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
  })

  it('records what a person calls as an agent, and not what only reads, by its input too', async () => {
    const recorded: string[] = []
    const watched = scriptedCore({
      acting: { record: async (_agent, tool) => void recorded.push(tool) },
      messages: { checkMail: async () => ({ messages: [] }) },
      waiting: { standing: async () => ({ results: [] }) },
    })
    for (const [name, input] of [
      ['check_mail', { peek: true }],
      ['fan_in', { from_agents: ['a'] }],
      ['check_mail', {}],
    ] as const)
      await runTool(named(name), { ...call(human('dev')), core: watched }, input)
    expect(recorded).toEqual(['check_mail'])
  })

  it('gives a role of the user’s own exactly its list among the tools of tl', async () => {
    expect(names(as('auditor'))).toEqual(['pr_diff', 'read_message', 'spawn_workers'])
    await expect(runTool(named('spawn_agents'), call(as('auditor')), specs)).resolves.toMatchObject(
      spawned,
    )
    await expect(
      runTool(named('ack'), call(as('auditor')), { ids: ['m-1'] }),
    ).resolves.toMatchObject({ acked: ['m-1'] })
    await expect(
      runTool(named('note'), call(as('auditor')), { message: 'x' }),
    ).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
    await expect(runTool(named('inbox'), call(as('auditor')), {})).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
  })

  it.each(['spawn_agents', 'spawn_gemini_teammate'])(
    verifies('R004-19', '%s works, is not listed, and warns'),
    async (name) => {
      const input = name === 'spawn_agents' ? specs : { name: 'a', prompt: 'do it' }
      const result = (await runTool(named(name), call(as('lead')), input)) as { warnings: string[] }
      expect(result.warnings.at(-1)).toBe(`${name} is deprecated; use ${named(name).deprecated}.`)
      expect(names(as('lead'))).not.toContain(name)
    },
  )

  it('refuses arguments that it does not know', async () => {
    await expect(
      runTool(named('note'), call(as('dev')), { message: 'x', stop_reson: true }),
    ).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringContaining('did you mean stop_reason?') as string,
    })
  })

  it('takes no input as no arguments', async () => {
    await expect(runTool(named('inbox'), call(human()), undefined)).resolves.toMatchObject({
      approvals: [],
    })
  })

  it('does not show a result that its schema refuses', async () => {
    const broken = defineTool({
      name: 'broken',
      description: '',
      audience: ['tl'],
      listed: true,
      input: z.object({}),
      output: z.object({ count: z.number() }),
      handler: async () => ({ count: 'secret' }) as unknown as { count: number },
    })
    const failure = await runTool(broken, call(as('lead')), {}).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'INTERNAL' })
    expect(JSON.stringify(failure)).not.toContain('secret')
  })
})

describe('listTools', () => {
  it('is sorted by name and carries both schemas', () => {
    const listed = listTools(ALL_TOOLS, as('lead'), { roleTools })
    expect(listed.map((tool) => tool.name)).toEqual(listed.map((tool) => tool.name).toSorted())
    expect(listed.find((tool) => tool.name === 'note')).toMatchObject({
      inputSchema: {
        type: 'object',
        properties: { message: { type: 'string' } },
        required: ['message'],
        additionalProperties: false,
      },
      outputSchema: { type: 'object', properties: { status: { const: 'sent' } } },
    })
  })

  it('adds unlisted tools for the human only', () => {
    expect(names(human())).not.toContain('tree')
    expect(names(human(), true)).toEqual(ALL_TOOLS.map((tool) => tool.name).toSorted())
    expect(names(as('lead'), true)).toEqual(names(as('lead')))
  })
})
