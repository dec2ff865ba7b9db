import { describe, expect, it } from 'vitest'
import {
  isEnough,
  parseZellijVersion,
  ZELLIJ_NEEDED,
} from '../../../../../src/adapters/terminals/zellij/version.ts'

describe('the version of Zellij', () => {
  it('is read from what `zellij --version` says, and from nothing else', () => {
    expect(parseZellijVersion('zellij 0.45.1\n')).toBe('0.45.1')
    expect(parseZellijVersion('zellij 0.46.0-beta.2\n')).toBe('0.46.0-beta.2')
    for (const text of [
      '',
      'tmux 3.3a',
      'zellij 0.45',
      'not zellij 0.45.1 at all',
      'zellij 0.45.1 of somebody',
    ])
      expect(parseZellijVersion(text)).toBeUndefined()
  })

  it('is compared number by number', () => {
    for (const version of [
      ZELLIJ_NEEDED,
      '0.44.3',
      '0.44.10',
      '0.45.0',
      '0.100.0',
      '1.0.0',
      '0.45.0-rc.1',
    ])
      expect([version, isEnough(version)]).toEqual([version, true])
    for (const version of ['0.44.1', '0.9.9', '0.43.12', '0.44.2-rc.1', '0.0.0'])
      expect([version, isEnough(version)]).toEqual([version, false])
  })
})
