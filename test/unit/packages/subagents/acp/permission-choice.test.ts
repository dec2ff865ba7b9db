import { describe, expect, it } from 'vitest'
import { optionFor } from '../../../../../packages/subagents/src/acp/permission-choice.ts'

const option = (
  id: string,
  kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always',
) => ({ id, name: id, kind })

describe('answers to a question for permission', () => {
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
