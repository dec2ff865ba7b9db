import { describe, expect, it } from 'vitest'
import { optionFor } from '../../../../packages/subagents/src/acp/permission-choice.ts'
import { decide } from '../../../../src/adapters/acp/permission-choice.ts'

const tool = (title: string | null, kind: string | null = 'execute') => ({
  id: '1',
  title,
  kind,
  status: null,
  detail: null,
  output: null,
})
const option = (
  id: string,
  kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always',
) => ({ id, name: id, kind })

describe('permissions', () => {
  it('allow what is named by the beginning of its title or by its kind, whatever the policy', () => {
    for (const permission of ['allow', 'deny', 'ask'] as const) {
      const policy = { permission, allow: ['git commit', 'read'] }
      expect(decide(policy, tool('git commit -m x'))).toBe('allow')
      expect(decide(policy, tool('`git commit -m x`'))).toBe('allow')
      expect(decide(policy, tool('Look at a file', 'read'))).toBe('allow')
      expect(decide(policy, tool('rm -rf git commit'))).toBe(permission)
      expect(decide(policy, tool('reads everything'))).toBe('allow')
      expect(decide(policy, tool(null, null))).toBe(permission)
    }
    expect(decide({ permission: 'ask', allow: [''] }, tool('anything'))).toBe('ask')
  })

  it('take the option for once before the one for always, and none that says something else', () => {
    const options = [
      option('aa', 'allow_always'),
      option('a', 'allow_once'),
      option('ra', 'reject_always'),
      option('r', 'reject_once'),
    ]
    expect(optionFor(options, 'allow')).toBe('a')
    expect(optionFor(options, 'deny')).toBe('r')
    expect(optionFor([option('aa', 'allow_always')], 'allow')).toBe('aa')
    expect(optionFor([option('ra', 'reject_always')], 'deny')).toBe('ra')
    expect(optionFor([option('aa', 'allow_always')], 'deny')).toBeNull()
    expect(optionFor([], 'allow')).toBeNull()
  })
})
