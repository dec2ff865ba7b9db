import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { isAlive } from '../../helpers/processes.ts'
import { describeWith } from '../../helpers/terminals/require-tool.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { tmuxSockets } from '../../leftovers.ts'

const FIXTURE = join(import.meta.dirname, '../../fixtures/suite/run.ts')

interface Run {
  readonly child: ChildProcess
  readonly folder: string
  readonly pid: number
}

describeWith(['tmux'], 'a run of the tests that is cut off', () => {
  const runs: Run[] = []
  let tmp = ''
  const begin = async (socket = ''): Promise<Run> => {
    const child = spawn(process.execPath, [FIXTURE, socket], {
      env: { ...process.env, TMPDIR: tmp },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    const [line] = await once(lines, 'line')
    const said = z.object({ folder: z.string(), pid: z.number() }).parse(JSON.parse(String(line)))
    const run = { child, ...said }
    runs.push(run)
    return run
  }
  const end = async ({ child }: Run, signal: NodeJS.Signals): Promise<unknown> => {
    const ended = once(child, 'exit')
    child.kill(signal)
    return (await ended)[0]
  }
  beforeEach(() => {
    tmp = mkdtempSync(join(tmpdir(), 'cut-off-'))
  })
  afterEach(async () => {
    for (const run of runs.splice(0)) if (isAlive(run.child.pid ?? 0)) await end(run, 'SIGTERM')
    rmSync(tmp, { recursive: true })
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('leaves no process, no file and no socket at %s', async (signal, code) => {
    const socket = `cut-off-${process.pid}`
    const run = await begin(socket)
    expect(existsSync(join(tmuxSockets(), socket))).toBe(true)
    expect(await end(run, signal)).toBe(code)
    await waitFor('its process to go', () => !isAlive(run.pid))
    expect(existsSync(run.folder)).toBe(false)
    expect(existsSync(join(tmuxSockets(), socket))).toBe(false)
  })

  it('killed, leaves nothing once another begins, which leaves alone what goes on', async () => {
    const killed = await begin()
    await end(killed, 'SIGKILL')
    expect(isAlive(killed.pid)).toBe(true)
    // Somebody looks at what it left.
    const waits = ['-e', 'setInterval(() => {}, 1000)', join(killed.folder, 'file')]
    const looks = spawn(process.execPath, waits, {
      cwd: killed.folder,
      env: { PATH: process.env['PATH'], PWD: killed.folder },
      stdio: 'ignore',
    })
    onTestFinished(() => void looks.kill('SIGKILL'))
    const next = await begin()
    await waitFor('its process to go', () => !isAlive(killed.pid))
    expect(existsSync(killed.folder)).toBe(false)
    await begin()
    expect([next.pid, looks.pid ?? 0].map(isAlive)).toEqual([true, true])
    expect(existsSync(join(next.folder, 'file'))).toBe(true)
  })
})
