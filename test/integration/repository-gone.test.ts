import { existsSync, rmSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { startExomonad } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'

it('a daemon whose repository was removed ends by itself', async () => {
  const tree = await startExomonad({ config: '[liveness]\nreconcile_every = 0.5' })
  onTestFinished(() => tree.stop())
  const pid = await tree.daemonPid()
  expect(existsSync(`/proc/${pid}/exe`)).toBe(true)
  // The daemon goes on writing in it meanwhile.
  rmSync(tree.repository.path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  await waitFor('the daemon to be gone', () => !existsSync(`/proc/${pid}/exe`), { limit: 20_000 })
})
