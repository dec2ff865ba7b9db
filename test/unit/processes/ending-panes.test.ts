import { spawn } from 'node:child_process'
import process from 'node:process'
import { expect, it, onTestFinished } from 'vitest'
import { endPanes } from '../../../src/processes/end-processes.ts'
import { startedWith } from '../../../src/processes/processes.ts'
import { newAgentId } from '../../../src/domain/ids.ts'
import { waitFor } from '../../helpers/wait-for.ts'

it.runIf(process.platform === 'linux')(
  'ends also what is started only because of the end, in a session of its own',
  async () => {
    const agentId = newAgentId()
    const mark = `EXOMONAD_AGENT_ID=${agentId}`
    const env = { PATH: process.env['PATH'] ?? '', EXOMONAD_AGENT_ID: agentId }
    // Without a pause between its own end and that of what it starts, nobody is left to find that
    // one by.
    const script = 'trap "setsid sleep 500 & exit 0" TERM; echo ready; while :; do sleep 0.05; done'
    const child = spawn('sh', ['-c', script], {
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(async () => {
      for (const pid of await startedWith([mark])) process.kill(pid, 'SIGKILL')
    })
    let said = ''
    child.stdout.on('data', (text: Buffer) => (said += text.toString()))
    await waitFor('it to begin', () => said.includes('ready'))
    await endPanes([{ pid: Number(child.pid), agentId, ended: false }], {
      signal: 'SIGTERM',
      grace: 5000,
    })
    expect(await startedWith([mark])).toEqual([])
  },
)
