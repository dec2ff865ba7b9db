import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDaemonHooks } from '../../../../src/adapters/acp/daemon-hooks.ts'
import { readSpool } from '../../../../src/adapters/machine/spool.ts'
import { silentLog } from '../../../../src/runtime/log.ts'

let folder: string
const complaints: unknown[] = []

beforeEach(async () => {
  complaints.length = 0
  folder = await mkdtemp(join(tmpdir(), 'exomonad-hooks-'))
  await mkdir(join(folder, 'spool'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const hooksOf = async (name: string) => {
  const authFile = join(folder, name)
  await writeFile(authFile, `token of ${name}\n`)
  const daemon = {
    socket: join(folder, 'socket'),
    authFile,
    spool: join(folder, 'spool'),
    stopTimeout: 1,
  }
  return createDaemonHooks({ daemon, complain: (error) => void complaints.push(error) })
}

const spooled = async () => {
  const read: string[] = []
  await readSpool(
    join(folder, 'spool'),
    async ({ event, token }) => void read.push(`${event} ${token}`),
    silentLog(),
  )
  return read
}

describe('what the daemon can not be sent now', () => {
  it('of several sessions that say the same at the same time, each stands in the spool', async () => {
    const all = await Promise.all(['one', 'two', 'three'].map(hooksOf))
    expect(
      await Promise.all(all.map((hooks) => hooks.stop({ reason: 'end_turn', again: false }))),
    ).toEqual([null, null, null])
    expect((await spooled()).toSorted()).toEqual([
      'program/stop token of one',
      'program/stop token of three',
      'program/stop token of two',
    ])
    expect(complaints).toEqual([])
  })

  it('is not lost where the daemon is on its way down and refuses for now', async () => {
    const server = createServer((_request, response) =>
      response.writeHead(503).end('{"error":"it ends","code":"NOT_AVAILABLE"}'),
    )
    await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve))
    try {
      const hooks = await hooksOf('one')
      hooks.tell('prompt', { prompt: 'go' })
      expect(await hooks.stop({ reason: 'end_turn', again: false })).toBeNull()
      expect(await spooled()).toEqual(['program/prompt token of one', 'program/stop token of one'])
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })
})
