import { describe, expect, it } from 'vitest'
import { configSchema, type Config } from '../../../../src/config/schema.ts'
import { withPresets } from '../../../../src/config/presets.ts'
import { sessionProgram, sessionTools } from '../../../../src/core/sessions/session-choice.ts'
import { verifies } from '../../../requirements.ts'

const config = (written: Record<string, unknown> = {}): Config =>
  configSchema.parse(withPresets(written))
const codeOf = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (thrown) {
    return thrown
  }
}

describe('which program runs a session', () => {
  const claude = { role: 'tl', agentCli: 'claude' }

  it('is the one that belongs to the caller’s, where nothing else is said', () => {
    expect(sessionProgram(config(), claude, null)).toBe('acp:claude-agent-acp')
    expect(sessionProgram(config(), { role: 'tl', agentCli: 'acp:gemini' }, null)).toBe(
      'acp:gemini',
    )
    expect(
      sessionProgram(
        config({ roles: { tl: { agent: 'codex' } } }),
        { role: 'tl', agentCli: null },
        null,
      ),
    ).toBe('acp:codex-acp')
  })

  it('is what was asked for, before what is configured', () => {
    const own = config({ headless: { acp: 'own' }, acp: { own: { command: ['x'] } } })
    expect(sessionProgram(own, claude, null)).toBe('acp:own')
    expect(sessionProgram(own, claude, 'gemini')).toBe('acp:gemini')
  })

  it(verifies('R003-08', 'is said not to be there in the seed’s words, with what to write'), () => {
    const scripted = config({ agents: { scripted: { adapter: 'command', command: ['x'] } } })
    for (const refused of [
      codeOf(() => sessionProgram(scripted, { role: 'tl', agentCli: 'scripted' }, null)),
      codeOf(() => sessionProgram(config(), { role: 'tl', agentCli: null }, null)),
      codeOf(() => sessionProgram(config({ headless: { acp: 'gone' } }), claude, null)),
    ]) {
      expect(refused).toMatchObject({
        code: 'NOT_AVAILABLE',
        message: expect.stringMatching(/^Sub-agent tools not available: .*\[headless\] acp/),
      })
    }
  })
})

describe('the tools of a session', () => {
  const callers = ['send', 'note', 'agent_status']

  it(verifies('R003-07', 'are all of the caller’s, or exactly the named ones'), () => {
    expect(sessionTools(null, { callers, own: null, program: null })).toBeNull()
    expect(sessionTools(null, { callers, own: ['send', 'note'], program: null })).toEqual(callers)
    expect(sessionTools(null, { callers, own: null, program: ['note', 'kill'] })).toEqual(['note'])
    expect(sessionTools(['note', 'send', 'note'], { callers, own: null, program: null })).toEqual([
      'note',
      'send',
    ])
    expect(sessionTools([], { callers, own: null, program: null })).toEqual([])
  })

  it('can’t be ones that the caller hasn’t', () => {
    for (const name of ['kill', 'made_up', '']) {
      expect(
        codeOf(() => sessionTools(['send', name], { callers, own: null, program: null })),
      ).toMatchObject({
        code: 'INVALID_ARG',
        facts: { unknown: [name], allowed: ['agent_status', 'note', 'send'] },
      })
    }
  })
})
