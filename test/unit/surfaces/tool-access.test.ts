import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../src/domain/caller.ts'
import type { ExomonadError } from '../../../src/domain/errors.ts'
import { toolsFor } from '../../../src/surfaces/run-tool.ts'
import { identityOf, mayUse, requireAccess } from '../../../src/surfaces/tool-access.ts'
import { ALL_TOOLS, toolNamed } from '../../../src/tools/all.ts'
import type { AnyTool } from '../../../src/tools/define.ts'
import { makeAgent } from '../core/make-agent.ts'

const noRoles = () => undefined
const agent = (role: string, tools: readonly string[] | null): Caller => ({
  kind: 'agent',
  agent: makeAgent({ role, tools, agentCli: 'small' }),
})
const named = (name: string): AnyTool => toolNamed(name) as AnyTool
const listed = (
  caller: Caller,
  roleTools: (role: string) => readonly string[] | undefined = noRoles,
): string[] => toolsFor(ALL_TOOLS, caller, { roleTools }).map(({ name }) => name)
const refusal = (tool: string, caller: Caller): ExomonadError => {
  try {
    requireAccess(named(tool), caller, noRoles)
  } catch (thrown) {
    return thrown as ExomonadError
  }
  throw new Error(`${tool} was not refused`)
}

describe('an agent’s own tools', () => {
  it('narrow those of its role, in the list as by call', () => {
    const caller = agent('dev', ['note', 'question'])
    expect(listed(caller)).toEqual(['note', 'question', 'read_message'])
    expect(mayUse(named('file_pr'), caller, noRoles)).toBe(false)
    expect(mayUse(named('pr_show'), caller, noRoles)).toBe(false)
  })

  it('widen nothing', () => {
    const caller = agent('dev', ['note', 'spawn_workers', 'approve', 'merge_pr'])
    expect(listed(caller)).toEqual(['note', 'read_message'])
    expect(listed(agent('tl', ['approve']))).toEqual(['read_message'])
  })

  it('leave all of the role’s where none are named, none but the needed where the list is empty', () => {
    expect(listed(agent('dev', null))).toEqual(
      ALL_TOOLS.filter((tool) => tool.listed && tool.audience.includes('dev')).map(
        ({ name }) => name,
      ),
    )
    expect(listed(agent('dev', []))).toEqual(['read_message'])
  })

  it('always let a message be read and confirmed', () => {
    for (const caller of [agent('dev', []), agent('auditor', []), agent('auditor', null)]) {
      for (const name of ['ack', 'read_message'])
        expect(mayUse(named(name), caller, noRoles)).toBe(true)
    }
  })

  it('narrow roles of the user’s own too, and count for deprecated names of the same tool', () => {
    const roles = (role: string) =>
      role === 'auditor' ? ['note', 'pr_diff', 'spawn_workers'] : undefined
    expect(mayUse(named('pr_diff'), agent('auditor', ['note']), roles)).toBe(false)
    expect(mayUse(named('note'), agent('auditor', ['note', 'pr_diff']), roles)).toBe(true)
    expect(mayUse(named('spawn_agents'), agent('tl', ['spawn_workers']), noRoles)).toBe(true)
    expect(mayUse(named('spawn_agents'), agent('tl', ['note']), noRoles)).toBe(false)
  })

  it('do not bind the person who acts for the root', () => {
    const person: Caller = {
      kind: 'human',
      agent: makeAgent({ kind: 'root', role: 'tl', tools: ['note'] }),
    }
    expect(mayUse(named('kill'), person, noRoles)).toBe(true)
  })

  it('say in a refusal whether the role or the list forbids', () => {
    expect(refusal('file_pr', agent('dev', ['note'])).message).toContain('[agents.small] tools')
    expect(refusal('merge_pr', agent('dev', ['note'])).message).toContain(
      'not for agents of the role dev',
    )
  })

  it('leave to people what they do beside an agent, whose role it is not', () => {
    const dev = makeAgent({ role: 'dev', tools: [] })
    for (const name of ['capture', 'cancel', 'reap', 'scrollback']) {
      expect(mayUse(named(name), { kind: 'human', agent: dev }, noRoles)).toBe(true)
      for (const caller of [
        agent('dev', null),
        agent('tl', null),
        agent('tl', [name]),
        agent('auditor', [name]),
      ]) {
        expect(mayUse(named(name), caller, () => [name])).toBe(false)
      }
    }
    expect(mayUse(named('approve'), { kind: 'human', agent: dev }, noRoles)).toBe(false)
  })
})

describe('whoever acts for an agent', () => {
  const by = (fields: Parameters<typeof makeAgent>[0]): Caller => ({
    kind: 'human',
    isNamed: true,
    agent: makeAgent(fields),
  })

  it('is that agent, and known to be another than its program', () => {
    const caller = by({ role: 'dev' })
    expect(identityOf(caller)).toEqual({ kind: 'agent', agent: caller.agent, actedBy: 'person' })
    expect(identityOf(caller, { by: 'program' })).toMatchObject({ actedBy: 'program' })
    expect(identityOf(caller, { tool: named('capture') })).toBe(caller)
    expect(identityOf(agent('dev', null))).not.toHaveProperty('actedBy')
  })

  it('is the root’s agent where that is named, also without a program, and a person where not', () => {
    const root = { kind: 'root', role: 'tl', state: 'failed' } as const
    expect(identityOf(by(root))).toMatchObject({ kind: 'agent', actedBy: 'person' })
    expect(mayUse(named('approve'), by(root), noRoles)).toBe(false)
    const person: Caller = { kind: 'human', agent: makeAgent(root) }
    expect(identityOf(person)).toBe(person)
  })

  it('that was killed as a tech lead names the way for one', () => {
    expect(() => identityOf(by({ name: 'k2', state: 'killed', kind: 'subtree' }))).toThrow(
      'exomonad spawn subtree NAME="what to do" --branch',
    )
  })

  it.each([
    ['killed', 'was killed', 'It does not come back; `exomonad spawn workers '],
    ['failed', 'has failed', '`exomonad resume k2` starts it again'],
    ['completed', 'has ended', 'It does not come back; `exomonad spawn workers '],
  ] as const)('can be none that is %s, but beside it', (state, words, way) => {
    const caller = by({ name: 'k2', state })
    expect(() => identityOf(caller)).toThrow(
      `k2 ${words}, so that nobody can act as it. Leave out --as to do it yourself. ${way}`,
    )
    expect(identityOf(caller, { tool: named('scrollback') })).toBe(caller)
  })
})
