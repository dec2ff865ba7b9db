import { afterEach } from 'vitest'
import { logEnds } from './helpers/daemon-logs.ts'

/**
 * Runs before every test file: what its daemons logged stands with the error of a test that failed,
 * since one that is red once in a hundred runs can’t be looked at again.
 */
afterEach(({ task }) => {
  const { result } = task
  if (result?.state !== 'fail') return
  result.errors = [
    ...(result.errors ?? []),
    ...logEnds().map((message) => ({ name: 'Log', message, stack: '' })),
  ]
})
