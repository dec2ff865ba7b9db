import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { removeTmuxSocket, runProgram } from '../test/helpers/daemon.ts'
import { tempHome } from '../test/helpers/temp-repository.ts'
import { waitFor } from '../test/helpers/wait-for.ts'
import { atMost, median, percentile, type Figure } from './figures.ts'
import { benchTree } from './tree.ts'

const ROUNDS = 200
const SOCKET = `xbench-pane-${process.pid}`
const RECEIVER = join(import.meta.dirname, 'fixtures', 'receiver.js')

interface Received {
  readonly at: number
  readonly text: string
}

const now = (): number => performance.timeOrigin + performance.now()
const received = (file: string): Received[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    : []

/**
 * From the call that makes the event to its text in the idle agent’s terminal, before the delay and
 * Enter; against one tmux that pastes.
 */
export async function measurePane(): Promise<Figure[]> {
  const home = tempHome()
  const file = join(home.folder, 'received')
  const tree = await benchTree({
    config: `[agents.receiver]
adapter = "command"
command = ["{{node}}", ${JSON.stringify(RECEIVER)}]
env = { RECEIVED = ${JSON.stringify(file)} }
enter_delay_ms = 10
`,
  })
  try {
    await tree.client.callTool('spawn_workers', {
      specs: [{ name: 'receiver', prompt: 'Nothing to do.', agent: 'receiver' }],
    })
    await waitFor('the receiver', () => received(file).length > 0)
    const samples: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const mark = `mark-${round}-end`
      const start = now()
      await tree.client.callTool('send', { to: 'receiver', message: mark })
      const arrived = await waitFor(
        `message ${round}`,
        () => received(file).find(({ text }) => text.includes(mark)),
        { every: 2 },
      )
      samples.push(arrived.at - start)
      // The next one only when this one is entered: an idle pane is measured, not a queue.
      await waitFor(
        `Enter of message ${round}`,
        () => received(file).some(({ at, text }) => at >= arrived.at && text.endsWith('\r')),
        { every: 2 },
      )
    }
    const floor = await floorOf()
    const row = (share: number, name: string): Figure => ({
      name: `event → text in the pane, ${name}`,
      unit: 'ms',
      value: percentile(samples, share),
      floorName: 'tmux load-buffer + paste-buffer, one command',
      floor: share === 0.5 ? median(floor) : percentile(floor, share),
      target: share === 0.99 ? atMost(50, 'ms', percentile(samples, share)) : null,
      samples: ROUNDS,
    })
    return [row(0.5, 'p50'), row(0.99, 'p99')]
  } finally {
    await tree.exomonad.stop()
    home.remove()
  }
}

/** The same text into the same program by hand. */
async function floorOf(): Promise<number[]> {
  const home = tempHome()
  const file = join(home.folder, 'received')
  const text = join(home.folder, 'text')
  const env = { ...home.env, RECEIVED: file }
  const tmux = (...args: string[]) => runProgram('tmux', ['-L', SOCKET, ...args], { env })
  try {
    await tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'floor', process.execPath, RECEIVER)
    await waitFor('the receiver', () => received(file).length > 0)
    const samples: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const mark = `mark-${round}-end`
      writeFileSync(text, mark)
      const start = now()
      await tmux('load-buffer', text, ';', 'paste-buffer', '-p', '-d', '-t', 'floor')
      samples.push(
        (
          await waitFor(
            `message ${round}`,
            () => received(file).find((one) => one.text.includes(mark)),
            { every: 2 },
          )
        ).at - start,
      )
    }
    return samples
  } finally {
    await tmux('kill-server')
    removeTmuxSocket(SOCKET)
    home.remove()
  }
}
