import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTerminals } from '../../../../src/adapters/acp/terminals.ts'
import { startOnPipes } from '../../../../src/processes/start-on-pipes.ts'
import { isRunning } from '../../../../src/processes/processes.ts'
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
const request = (command: string) => ({
  sessionId: 's',
  command,
  args: [],
  env: {},
  cwd: null,
  outputByteLimit: null,
})

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

it('what a command said before its end is in its output, also where exomonad stood still meanwhile', async () => {
  const terminals = createTerminals({
    start: (...given) => {
      const real = startOnPipes(...given)
      const { pid } = real.child
      const child = Object.assign(new EventEmitter(), { pid }) as typeof real.child
      real.child.once('spawn', () => {
        child.emit('spawn')
        child.emit('exit', 0, null)
        // Its last words come, and the time that they are waited for passes, while nothing here
        // runs.
        setImmediate(() => {
          const stop = performance.now() + 10_000
          do Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
          while (!existsSync(join(root, 'over')) && performance.now() < stop)
        })
      })
      return { ...real, child }
    },
    root,
    env: { PATH: '/usr/bin:/bin' },
  })
  const id = await terminals.create(request('sleep 0.2; echo "last words"; : >over'))
  await terminals.ended(id, never)
  expect(terminals.output(id).output).toBe('last words\n')
  await terminals.close()
})
