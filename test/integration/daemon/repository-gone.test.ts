import { rmSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'

it('a daemon whose repository was removed ends by itself', async () => {
  const tree = await startExomonad({ config: '[liveness]\nreconcile_every = 0.5' })
  onTestFinished(() => tree.stop())
  const pid = await tree.daemonPid()
  expect(isAlive(pid)).toBe(true)
  // The daemon goes on writing in it meanwhile.
  rmSync(tree.repository.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  await waitFor('the daemon to be gone', () => !isAlive(pid), { limit: 20_000 })
})
