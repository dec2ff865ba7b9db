import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { endPanes } from '../../../../../src/processes/end-processes.ts'
import {
  awaitEnd,
  createDeadline,
} from '../../../../../packages/subagents/src/processes/deadline.ts'

/** This process stands still. */
const stall = (milliseconds: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)

describe('createDeadline', () => {
  it('lasts as long as it is asked to, and longer by what the machine stood still', () => {
    let now = 0
    const notExpired = createDeadline(500, () => now)
    const after = (milliseconds: number): boolean => ((now += milliseconds), notExpired())
    expect([after(90), after(90), after(60_000), after(90), after(90)]).toEqual([
      true,
      true,
      true,
      true,
      true,
    ])
    expect(after(90)).toBe(false)
  })

  it('leaves a program its time to end where nobody had any', async () => {
    const tidiesUp = 'echo asked; for i in 1 2 3 4 5 6 7 8; do sleep 0.02; done; exit 5'
    const program = spawn(
      '/bin/sh',
      ['-c', `trap '${tidiesUp}' HUP; echo ready; while :; do sleep 0.02; done`],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      },
    )
    onTestFinished(() => void program.kill('SIGKILL'))
    const { pid = 0, stdout } = program
    const exited = once(program, 'exit')
    await once(stdout, 'data')
    const ending = endPanes([{ pid, agentId: null, ended: false }], { grace: 3000 })
    await once(stdout, 'data')
    process.kill(-pid, 'SIGSTOP')
    stall(3600)
    process.kill(-pid, 'SIGCONT')
    await ending
    expect(await exited).toEqual([5, null])
  })

  it('waits for an end, and no longer than it is asked to', async () => {
    const ended = Promise.withResolvers<void>()
    const waiting = awaitEnd(ended.promise, 60_000)
    setTimeout(ended.resolve, 10)
    await waiting
    await awaitEnd(new Promise(() => {}), 60)
  })
})
