import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startOnPipes } from '../../../src/processes/start-on-pipes.ts'

it('takes along what one that was killed while it made its pipes left behind, and nothing of those that are at it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pipes-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  const minutesAgo = Date.now() / 1000 - 120
  for (const name of ['exomonad-pipes-left', 'exomonad-pipes-new', 'somebody-else']) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'in'), '')
    if (name !== 'exomonad-pipes-new') utimesSync(join(folder, name), minutesAgo, minutesAgo)
  }
  const { child, stdout } = startOnPipes('echo', ['heard'], {
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
  })
  let said = ''
  stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await new Promise((resolve) => stdout.once('close', resolve))
  expect([said, child.pid]).toEqual(['heard\n', expect.any(Number)])
  expect(readdirSync(folder).toSorted()).toEqual(['exomonad-pipes-new', 'somebody-else'])
})
