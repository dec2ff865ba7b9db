import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { startOnPipes } from '../../../../src/processes/start-on-pipes.ts'
import { startHostedProcess } from '../../../../src/processes/host/hosted-process.ts'
import { createOutputLog } from '../../../../src/processes/host/output-log.ts'

const run = (script: string) => {
  const log = createOutputLog({ file: null })
  const hosted = startHostedProcess({
    start: startOnPipes,
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    argv: ['/bin/sh', '-c', script],
    log,
  })
  return { log, hosted }
}

it('has ended when its program has, also where what that left behind goes on talking, and says that something is there', async () => {
  const { log, hosted } = run(
    `'${process.execPath}' -e 'setInterval(() => console.log("more"), 5)' & sleep 1; echo done`,
  )
  onTestFinished(() => void process.kill(-hosted.pid, 'SIGKILL'))
  expect(await hosted.end).toEqual({ exitCode: 0, exitSignal: null })
  expect(log.tail(1000)).toContain('done')
  expect(await hosted.leavesBehind()).toBe(true)
})

it('leaves nothing behind where nothing is', async () => {
  const { hosted } = run('echo done')
  await hosted.end
  expect(await hosted.leavesBehind()).toBe(false)
})
