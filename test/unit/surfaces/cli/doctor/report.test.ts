import { describe, expect, it } from 'vitest'
import { findingOf } from '../../../../../src/surfaces/cli/doctor/report.ts'

describe('a finding in a report', () => {
  it('has no folder that says whose machine it is', () => {
    const places = [
      ['/srv/acme shop', '<folder>'],
      ['/', '~'],
    ] as const
    expect(findingOf('24.21.0 (/srv/ada/node/bin/node)', places)).toBe('24.21.0 (<path>)')
    expect(findingOf('/data/acme/agent.sh, of "acme"', places)).toBe('<path>, of (text)')
    expect(findingOf('/srv/acme shop is not in a git repository.', places)).toBe(
      '<folder> is not in a git repository.',
    )
  })

  it('keeps places of the system, addresses and what is called by its name', () => {
    for (const kept of [
      '/usr/bin/node',
      'https://api.github.com/user',
      '<git>/exomonad/origin.git',
      'https://npm.example/~ada/x',
      'a/b',
    ])
      expect(findingOf(kept, [])).toBe(kept)
  })
})
