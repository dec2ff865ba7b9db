import process from 'node:process'
import { afterEach, describe, expect, it, vi } from 'vitest'
import RequirementsReporter, { missingOf, shownBy } from '../reporters/requirements.ts'
import { PENDING, REQUIREMENTS } from '../requirements.ts'

/** Modules of a run, as far as the reporter looks at them: titles by how their tests ended. */
const run = (
  tests: Readonly<Record<string, 'passed' | 'failed' | 'skipped'>>,
  projects = ['unit', 'conformance', 'integration', 'e2e'],
): never =>
  projects.map((name, index) => ({
    project: { name },
    children: {
      *allTests(state: string) {
        if (index === 0)
          for (const [fullName, ended] of Object.entries(tests))
            if (ended === state) yield { fullName }
      },
    },
  })) as never

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
})

describe('a requirement is shown', () => {
  it('by a test that passed, also where another title around it names it, and by none that was skipped or failed', () => {
    const shown = shownBy(
      run({
        'R004-01 R004-02 makes a branch': 'passed',
        'R004-21 in zellij > opens': 'skipped',
        'R000-01 lists': 'failed',
      }),
    )
    expect([...shown].toSorted()).toEqual(['R004-01', 'R004-02'])
    expect(missingOf(shown)).toContain('R004-21')
    expect(missingOf(shown)).not.toContain('R004-01')
  })

  it('or fails the run in CI, naming it; elsewhere it is only reported', () => {
    const all = Object.fromEntries(
      Object.keys(REQUIREMENTS)
        .filter((id) => id !== 'R004-21' && !(id in PENDING))
        .map((id) => [`${id} is shown`, 'passed' as const]),
    )
    const reported: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => reported.push(String(text)) > 0)
    vi.stubEnv('EXOMONAD_CI_WITHOUT_ZELLIJ', '')
    vi.stubEnv('CI', '')
    new RequirementsReporter().onTestRunEnd(run(all))
    expect(process.exitCode).toBeUndefined()
    vi.stubEnv('CI', 'true')
    new RequirementsReporter().onTestRunEnd(run({ ...all, 'R004-21 is shown': 'passed' }))
    expect(process.exitCode).toBeUndefined()
    // A run of some of the projects says nothing about the rest.
    new RequirementsReporter().onTestRunEnd(run(all, ['unit', 'integration']))
    expect(process.exitCode).toBeUndefined()
    // What CI could not build is said elsewhere.
    vi.stubEnv('EXOMONAD_CI_WITHOUT_ZELLIJ', 'no compiler')
    new RequirementsReporter().onTestRunEnd(run(all))
    expect(process.exitCode).toBeUndefined()
    vi.stubEnv('EXOMONAD_CI_WITHOUT_ZELLIJ', '')
    new RequirementsReporter().onTestRunEnd(run(all))
    expect(process.exitCode).toBe(1)
    expect(reported.join('')).toContain('R004-21')
  })
})
