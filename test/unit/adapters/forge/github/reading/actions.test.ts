import { expect, it } from 'vitest'
import { readActions } from '../../../../../../src/adapters/forge/github/reading/checks/actions.ts'
import { toChecks } from '../../../../../../src/adapters/forge/github/reading/checks/checks.ts'

/** What Actions ran for a commit. */

const HEAD = 'a'.repeat(40)

it('is told apart by the workflow’s file, where two workflows have the same name', async () => {
  const jobs: Readonly<Record<number, object>> = {
    10: { id: 100, name: 'test', conclusion: 'failure' },
    11: { id: 101, name: 'test', conclusion: 'success' },
  }
  const rest = { status: 'completed', html_url: 'https://github.com/octo/widgets' }
  const pages = async (route: string, { run_id }: { run_id?: number }) =>
    route.endsWith('/jobs')
      ? [{ ...rest, completed_at: '2026-01-01T00:01:00Z', ...jobs[run_id!] }]
      : [
          { ...rest, id: 11, name: 'CI', event: 'push', workflow_id: 9 },
          { ...rest, id: 10, name: 'CI', event: 'push', workflow_id: 8 },
        ]
  const { checks, checksState } = toChecks((await readActions({ pages } as never, HEAD))!, [])
  expect(checksState).toBe('failed')
  expect(checks).toMatchObject([
    { name: 'CI / test (push)', status: 'passed', run: '101' },
    { name: 'CI / test (push)', status: 'failed', run: '100' },
  ])
})
