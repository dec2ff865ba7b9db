import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { whyNoZellij, zellijOnPath } from '../helpers/terminals/zellij.ts'

describe('tests on a real Zellij', () => {
  let bin = ''
  beforeEach(() => {
    bin = mkdtempSync(join(tmpdir(), 'zellij-'))
    vi.stubEnv('PATH', bin)
    vi.stubEnv('CI', '')
    vi.stubEnv('EXOMONAD_CI_WITHOUT_ZELLIJ', undefined)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(bin, { recursive: true })
  })
  const install = (version: string): void =>
    writeFileSync(join(bin, 'zellij'), `#!/bin/sh\necho zellij ${version}\n`, { mode: 0o755 })

  it('run where one is on PATH that is new enough', () => {
    install('0.44.2')
    expect([zellijOnPath(), whyNoZellij()]).toEqual([join(bin, 'zellij'), null])
  })

  it('are skipped with the reason where there is none, but not in CI, unless a reason is given', () => {
    install('0.44.1')
    expect(zellijOnPath()).toBeUndefined()
    expect(whyNoZellij()).toBe('no zellij 0.44.2 or newer on PATH')
    vi.stubEnv('CI', 'true')
    expect(() => whyNoZellij()).toThrow('In CI it is required')
    vi.stubEnv('EXOMONAD_CI_WITHOUT_ZELLIJ', 'no cargo')
    expect(whyNoZellij()).toBe('no cargo')
  })
})
