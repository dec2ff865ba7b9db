import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createHostClient } from '../../../../src/processes/host/host-client.ts'
import { DETACHED_HOST } from '../../../../src/processes/host/location.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

const framing = fileURLToPath(new URL('../../../../src/processes/host/framing.ts', import.meta.url))

it('a host that takes its time to start is waited for: no second one is left to start after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'host-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [program, starts] = [join(folder, 'slow-host.mjs'), join(folder, 'starts')]
  writeFileSync(
    program,
    `import { appendFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { receive, send } from ${JSON.stringify(framing)}
appendFileSync(${JSON.stringify(starts)}, process.pid + '\\n')
const serve = (socket) => receive(socket, ({ id }) => send(socket, { id, gives: { protocol: 1, pid: process.pid } }))
setTimeout(() => createServer(serve).on('error', () => process.exit()).listen(process.argv[3]), 2500)
`,
  )
  const pids = (): number[] => readFileSync(starts, 'utf8').trim().split('\n').map(Number)
  onTestFinished(async () => {
    for (const pid of pids()) if (isThere(pid)) process.kill(pid, 'SIGKILL')
    await waitFor('them to end', () => !pids().some(isThere))
  })
  const client = createHostClient({
    ...{
      names: DETACHED_HOST,
      called: 'host',
      protocol: 1,
      program,
      stateDir: folder,
      runtimeDir: folder,
      environment: { PATH: process.env['PATH'] ?? '' },
    },
    ...{ node: process.execPath, timeout: 10_000, startTimeout: 15_000, onChange: () => {} },
  })
  onTestFinished(() => client.close())
  await client.start()
  expect(pids()).toHaveLength(1)
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
