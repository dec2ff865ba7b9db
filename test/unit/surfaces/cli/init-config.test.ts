import { describe, expect, it } from 'vitest'
import { initialConfig, withAgent } from '../../../../src/surfaces/cli/init/config.ts'

describe('a program for the roles, found when init is run again', () => {
  it('stands where it would have been at the first time', () => {
    expect(withAgent(initialConfig(null), 'codex')).toBe(initialConfig('codex'))
  })

  it.each([
    ['that have one', initialConfig('claude')],
    ['of which somebody wrote', `${initialConfig(null)}\n[roles.dev]\nsandbox = "offline"\n`],
    ['set another way', `roles.tl.agent = "mine"\n${initialConfig(null)}`],
    ['that are not there', '[forge]\nkind = "local"\n'],
  ])('is not for roles %s', (_, text) => {
    expect(withAgent(text, 'codex')).toBeNull()
  })
})
