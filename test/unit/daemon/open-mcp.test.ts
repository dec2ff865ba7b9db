import { linkSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openMcp } from '../../../src/daemon/open-mcp.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { freePort } from '../../helpers/free-port.ts'

/** Agents that live on have the port of the daemon before: a kill at any moment may not lose it. */
it('keeps its port across restarts, and what says which is never half there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'mcp.json')
  const recorded = (path: string): number => JSON.parse(readFileSync(path, 'utf8')).port
  const serve = async (port?: number): Promise<number> => {
    const server = await openMcp({ file, port, log: silentLog() })
    await server.close()
    return server.port
  }
  // Nobody is given it while it is not listened on.
  const port = await serve(await freePort())
  const { ino, mtimeNs } = statSync(file, { bigint: true })
  expect(await serve()).toBe(port)
  expect(statSync(file, { bigint: true })).toMatchObject({ ino, mtimeNs })

  const taker = createServer()
  await new Promise<void>((resolve) => taker.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void taker.close())
  // Whoever writes into the file writes into this one as well.
  const before = join(folder, 'before')
  linkSync(file, before)
  const next = await serve()
  expect(next).not.toBe(port)
  expect([recorded(file), recorded(before)]).toEqual([next, port])
})
