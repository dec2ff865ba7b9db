import { describe, expect, it } from 'vitest'
import { readEnvironment } from '../../../../../src/config/environment.ts'
import { createWorkspace } from '../../../../../src/surfaces/cli/demo/workspace.ts'
import type { Host } from '../../../../../src/surfaces/cli/host.ts'

describe('a demo', () => {
  it('names the program that is missing, and what to do', async () => {
    const missing = { exitCode: null, stdout: '', stderr: '', startError: 'ENOENT' }
    const host = { run: () => Promise.resolve(missing) } as unknown as Pick<Host, 'run'>
    const workspace = await createWorkspace(host, readEnvironment({}))
    try {
      await expect(workspace.git('init')).rejects.toThrow(
        /needs git, which is not on PATH. Install it/,
      )
    } finally {
      await workspace.remove()
    }
  })
})
