import { describe, expect, it } from 'vitest'
import { decide } from '../../../../src/adapters/acp/permission-choice.ts'

const tool = (title: string | null, kind: string | null = 'execute') => ({
  id: '1',
  title,
  kind,
  status: null,
  detail: null,
  output: null,
})

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
})
