import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type * as All from '../../../../src/adapters/agent-cli/all.ts'
import { defineAgentCli } from '../../../../src/adapters/agent-cli/define.ts'
import { SESSION_VARIABLES, testedVersion } from '../../../../src/adapters/agent-cli/known.ts'
import { agentSchema } from '../../../../src/config/sections/agent-schema.ts'
import { parseConfig } from '../../../../src/config/load.ts'
import { chosenAgents } from '../../../../src/config/presets.ts'
import { loadAgentClis } from '../../../../src/daemon/agent-clis.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { initialConfig } from '../../../../src/surfaces/cli/init/config.ts'
import { agentCliConformance, launchRequest } from '../../../conformance/agent-cli/suite.ts'
import { quill } from '../../../fixtures/agent-clis/quill/quill.ts'

/** One more agent CLI: its folder and its line in the list, and nothing else. */

vi.mock('../../../../src/adapters/agent-cli/all.ts', async (original) => {
  const [{ AGENT_CLIS }, { quill: added }] = await Promise.all([
    original<typeof All>(),
    import('../../../fixtures/agent-clis/quill/quill.ts'),
  ])
  return { AGENT_CLIS: [...AGENT_CLIS, added] }
})

const clis = await loadAgentClis()
const create = ({ path, home }: { path: string; home: string }) =>
  clis.create({
    name: 'quill',
    config: agentSchema.parse(quill.preset),
    path,
    node: '/opt/node',
    home,
    userHome: home,
    variables: {},
    exec,
  })

agentCliConformance('quill', { program: 'quill', create })

describe('an agent CLI', () => {
  it('is in the configuration without being written, and key by key where it is', () => {
    const { agents, acp } = parseConfig('', 'config.toml')
    expect([agents['quill'], Object.keys(acp).includes('quill')]).toEqual([
      {
        adapter: 'quill',
        command: ['quill'],
        args: [],
        env: {},
        acks: false,
        reports_state: false,
        enter_delay_ms: 300,
      },
      false,
    ])
    const own = parseConfig(
      '[roles.dev]\nagent = "fast"\n[agents.fast]\nadapter = "quill"\nmodel = "m"',
      'config.toml',
    )
    expect([own.agents['fast'], chosenAgents(own)]).toEqual([
      { ...agents['quill'], model: 'm' },
      ['fast'],
    ])
    expect(() =>
      parseConfig('[agents.x]\nadapter = "pen"\ncommand = ["x"]', 'config.toml'),
    ).toThrow('"opencode", "quill", "command"')
  })

  it('is named by init, and its versions and marks are known', () => {
    expect(initialConfig(null)).toContain('claude, gemini, codex, opencode, quill, or one')
    expect([testedVersion('quill-cli'), SESSION_VARIABLES.includes('QUILL_SESSION')]).toEqual([
      '3.2.0',
      true,
    ])
  })

  it('is run and looked over by its adapter', async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'quill-')))
    onTestFinished(() => rmSync(home, { recursive: true, force: true }))
    writeFileSync(join(home, 'quill'), '#!/bin/sh\n')
    chmodSync(join(home, 'quill'), 0o755)
    const cli = create({ path: home, home })
    expect((await cli.plan(launchRequest())).argv).toEqual([
      'quill',
      '--task-file',
      '/state/prompts/auth.md',
    ])
    const [found] = await cli.diagnose('/repository')
    expect(found).toMatchObject({ status: 'problem', found: expect.stringContaining('trust') })
    expect(await found?.repair?.()).toBe(`/repository in ${join(home, '.quill', 'trusted')}`)
    expect(await cli.diagnose('/repository')).toEqual([
      { status: 'ok', found: 'it trusts this repository' },
    ])
  })

  it('is checked: its name is a type, and nothing may be missing', () => {
    expect(quill.name satisfies 'quill').toBe('quill')
    // @ts-expect-error -- nothing says how it is run
    const without = defineAgentCli({ name: 'x', program: 'x', package: { name: 'x', tested: '1' } })
    expect(without.preset).toMatchObject({ adapter: 'x', command: ['x'], acks: true })
  })

  it.each(['quill.ts', 'adapter.ts'])('is as docs/contributing.md has it: %s', (name) => {
    const top = join(import.meta.dirname, '..', '..', '..', '..')
    const page = readFileSync(join(top, 'docs', 'contributing.md'), 'utf8')
    const file = readFileSync(join(top, 'test', 'fixtures', 'agent-clis', 'quill', name), 'utf8')
    const inPlace = file
      .replaceAll('../../../../src/adapters/agent-cli/', '../')
      .replaceAll('../../../../src/', '../../../')
    expect(page).toContain(
      `\`src/adapters/agent-cli/quill/${name}\`:\n\n\`\`\`ts\n${inPlace}\`\`\`\n`,
    )
  })
})
