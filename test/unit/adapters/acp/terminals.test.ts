import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTerminals } from '../../../../src/adapters/acp/terminals.ts'
import { startOnPipes } from '../../../../src/adapters/exec.ts'
import { isRunning } from '../../../../src/adapters/panes/processes.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'exomonad-terminals-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(root, { recursive: true, force: true })
})

const never = new AbortController().signal
const request = (command: string) => ({ sessionId: 's', command, args: [], env: {}, cwd: null, outputByteLimit: null })

describe('a terminal whose command has ended', () => {
  it('signals nobody when it is released: its number may be another’s by then', async () => {
    const terminals = createTerminals({ start: startOnPipes, root, env: { PATH: '/usr/bin:/bin' } })
    const id = await terminals.create(request('exit 3;'))
    expect(await terminals.ended(id, never)).toEqual({ exitCode: 3, signal: null })
    const kill = vi.spyOn(process, 'kill')
    await terminals.release(id)
    await terminals.close()
    expect(kill).not.toHaveBeenCalled()
  })

  it('takes along what it left in the background', async () => {
    const terminals = createTerminals({ start: startOnPipes, root, env: { PATH: '/usr/bin:/bin' } })
    const id = await terminals.create(request('sleep 300 >/dev/null 2>&1 & echo $!'))
    await terminals.ended(id, never)
    const pid = Number(terminals.output(id).output)
    expect(await isRunning(pid)).toBe(true)
    await terminals.release(id)
    await waitFor('its end', async () => !(await isRunning(pid)))
    await terminals.close()
  })
})
