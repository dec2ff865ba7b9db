import { describe, expect, it } from 'vitest'
import { createOpenCodeCli } from '../../../../src/adapters/agent-cli/opencode/adapter.ts'
import { exec } from '../../../../src/processes/exec.ts'
import { opencode } from '../../../../src/adapters/agent-cli/opencode/opencode.ts'
import { agentSchema } from '../../../../src/config/sections/agent-schema.ts'
import { launchRequest } from '../../../conformance/agent-cli/suite.ts'

const create = (config: object = {}, variables: Record<string, string> = {}) =>
  createOpenCodeCli({
    name: 'opencode',
    config: agentSchema.parse({ ...opencode.preset, ...config }),
    path: '/bin',
    node: '/opt/node',
    home: '/home',
    userHome: '/home',
    variables,
    exec,
  })
const contentOf = (env: Readonly<Record<string, string>>) =>
  JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')
const session = { id: 'ses_parent', transcript: null }

describe('how OpenCode is started', () => {
  it('serves on a loopback port of its own behind a password, with the task as it is', async () => {
    const request = launchRequest()
    const plan = await create({ model: 'mock/big', args: ['--agent', 'build'] }).plan(request)
    expect(plan.argv).toEqual([
      'opencode',
      '--agent',
      'build',
      '--model',
      'mock/big',
      '--hostname',
      '127.0.0.1',
      '--port',
      '4200',
      '--prompt',
      request.prompt,
    ])
    expect(plan.env['OPENCODE_SERVER_PASSWORD']).toMatch(/^[0-9a-f]{64}$/)
    expect(plan.channel).toEqual({
      url: 'http://127.0.0.1:4200',
      password: plan.env['OPENCODE_SERVER_PASSWORD'],
    })
    expect(plan.argv.join(' ')).not.toContain(plan.env['OPENCODE_SERVER_PASSWORD'])
    const other = await create().plan(launchRequest())
    expect(other.env['OPENCODE_SERVER_PASSWORD']).not.toBe(plan.env['OPENCODE_SERVER_PASSWORD'])
  })

  it('gets our tools and plugin beside whatever is configured, with limits above our longest tool', async () => {
    const own = {
      model: 'mine/one',
      plugin: ['mine'],
      mcp: { mine: { type: 'local', command: ['mine'] } },
      permission: { bash: 'ask' },
    }
    const { env } = await create({}, { OPENCODE_CONFIG_CONTENT: JSON.stringify(own) }).plan(
      launchRequest(),
    )
    const content = contentOf(env)
    expect(content).toMatchObject({
      model: 'mine/one',
      permission: { bash: 'ask' },
      mcp: { mine: own.mcp.mine },
    })
    expect(content.mcp.exomonad).toEqual({
      type: 'remote',
      url: 'http://127.0.0.1:4100/mcp',
      headers: { Authorization: 'Bearer {env:EXOMONAD_TOKEN}' },
      oauth: false,
      enabled: true,
      timeout: 86_460_000,
    })
    expect(content.plugin).toEqual([
      'mine',
      [
        'file:///package/hooks/opencode-plugin.js',
        expect.objectContaining({ hook: '/package/hooks/program.sh' }),
      ],
    ])
    const { env: plain, warnings } = await create(
      {},
      { OPENCODE_CONFIG_CONTENT: '{ // mine\n}' },
    ).plan(launchRequest())
    expect(contentOf(plain).mcp.exomonad).toBeDefined()
    expect(warnings).toHaveLength(1)
  })

  it('takes the tools on stdio where they are not served', async () => {
    const { env } = await create().plan(launchRequest({ mcpUrl: null }))
    expect(contentOf(env).mcp.exomonad).toMatchObject({
      type: 'local',
      command: ['exomonad', 'mcp'],
    })
  })

  it('keeps the person’s permissions, unless its role says otherwise', async () => {
    const planFor = (policy: 'off' | 'ask' | 'list' | 'all') =>
      create().plan(launchRequest({ permissions: { policy, allow: ['bash(git *)'] } }))
    for (const policy of ['off', 'ask', 'list', 'all'] as const) {
      const { argv, env } = await planFor(policy)
      expect(contentOf(env).permission).toBeUndefined()
      expect(argv.includes('--auto')).toBe(policy === 'all')
      expect(contentOf(env).plugin[0][1].allow).toEqual(policy === 'list' ? ['bash(git *)'] : [])
    }
  })

  it('leaves to its server what argv can’t say: forks, prompts for a session, long tasks', async () => {
    const fork = await create().plan(launchRequest({ mode: 'fork', session }))
    expect([fork.session, fork.argv.includes('--prompt')]).toEqual(['forked', false])
    const resumed = await create().plan(launchRequest({ mode: 'resume', session }))
    expect([resumed.session, resumed.sessionId, resumed.argv.slice(-2)]).toEqual([
      'resumed',
      'ses_parent',
      ['--session', 'ses_parent'],
    ])
    const long = await create().plan(launchRequest({ prompt: 'x'.repeat(20_000) }))
    expect([long.session, long.argv.includes('--prompt')]).toEqual(['fresh', false])
  })

  it('says so where the parent’s conversation is not known', async () => {
    const plan = await create().plan(launchRequest({ mode: 'fork', session: null }))
    expect([plan.session, plan.argv.includes('--prompt'), plan.warnings.length]).toEqual([
      'fresh',
      true,
      1,
    ])
  })

  it('does not wait for a package registry, unless the person’s npm is configured otherwise', async () => {
    const { env } = await create().plan(launchRequest())
    expect(env['npm_config_fetch_retries']).toBe('0')
    expect(contentOf(env).plugin[0][1].unset).toEqual({
      npm_config_fetch_retries: '0',
      npm_config_fetch_timeout: '15000',
    })
    const { env: own } = await create({}, { NPM_CONFIG_FETCH_RETRIES: '5' }).plan(launchRequest())
    expect(own['npm_config_fetch_retries']).toBeUndefined()
  })

  it('passes keys on, and no variable of an OpenCode that exomonad may run in', () => {
    const passed = (name: string) =>
      create().passes.some((pass) =>
        pass.endsWith('*') ? name.startsWith(pass.slice(0, -1)) : name === pass,
      )
    for (const name of [
      'ANTHROPIC_API_KEY',
      'OPENAI_BASE_URL',
      'OPENCODE_CONFIG',
      'OPENCODE_DISABLE_MODELS_FETCH',
    ])
      expect(passed(name), name).toBe(true)
    for (const name of [
      'OPENCODE',
      'OPENCODE_PID',
      'OPENCODE_SERVER_PASSWORD',
      'OPENCODE_CLIENT',
      'GITHUB_TOKEN',
    ])
      expect(passed(name), name).toBe(false)
  })
})
