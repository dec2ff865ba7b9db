import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../../../src/config/load.ts'
import { boundsOf } from '../../../../src/core/limits/configured-bounds.ts'

const config = parseConfig(
  `[roles.dev]
agent = "claude"
limits = { memory = "4GiB", processes = 512 }
[agents.claude]
limits = { memory = "2GiB", processes = 1000, cpu_weight = 50 }
[acp.gemini]
limits = { processes = 64 }
`,
  'config.toml',
)

describe('the limits of an agent', () => {
  it('are the lower ones of its role and its program, each with the key that raises it', () => {
    expect(boundsOf(config, { role: 'dev', agentCli: 'claude' })).toEqual({
      memory: { value: 2 * 1024 ** 3, key: 'agents.claude.limits.memory' },
      processes: { value: 512, key: 'roles.dev.limits.processes' },
      cpu_weight: { value: 50, key: 'agents.claude.limits.cpu_weight' },
    })
    expect(boundsOf(config, { role: 'dev', agentCli: 'acp:gemini' })).toMatchObject({
      processes: { value: 64, key: 'acp.gemini.limits.processes' },
    })
    expect(boundsOf(config, { role: 'tl', agentCli: null })).toEqual({})
  })

  it.each([
    ['memory = "4GB"', 'roles.dev.limits.memory'],
    ['memory = "1MiB"', 'at least 64MiB'],
    ['memory = 4', 'roles.dev.limits.memory'],
    ['processes = 3', 'roles.dev.limits.processes'],
    ['cpu_weight = 0', 'roles.dev.limits.cpu_weight'],
    ['cpu = 2', 'roles.dev.limits.cpu'],
  ])('are not %s', (limits, said) => {
    expect(() => parseConfig(`[roles.dev]\nlimits = { ${limits} }\n`, 'config.toml')).toThrow(said)
  })
})
