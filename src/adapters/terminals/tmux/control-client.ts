import { randomBytes } from 'node:crypto'
import type { ChildProcessWithoutNullStreams } from '../../../processes/exec.ts'
import { createControlParser, type Block } from './control-protocol.ts'

/**
 * `done`: it ran; what it printed, and what tmux objected. `unsent`: the client is closed, nothing
 * was run. `unknown`: it was sent and no answer came; it may have run.
 */
export type ControlReply =
  | { kind: 'done'; lines: string[]; errors: string[] }
  | { kind: 'unsent' }
  | { kind: 'unknown' }

interface Waiting {
  readonly mark: string
  readonly blocks: Block[]
  readonly settle: (reply: ControlReply) => void
}

export interface ControlClient {
  /** One line of commands; several lines in flight are answered in order. */
  request(line: string): Promise<ControlReply>
  readonly open: boolean
  close(): void
}

/**
 * Speaks to one `tmux -C` process. tmux prints one block per command that ran, and a line may run
 * any number of commands, so that every request is followed by a command that prints a mark of its
 * own: what comes before the mark belongs to the request. A request that gets no answer in time
 * closes the client (a control client that hangs does not recover); the caller opens another.
 */
export function createControlClient(options: {
  child: ChildProcessWithoutNullStreams
  /** Milliseconds. */
  timeout: number
  onNotification: (line: string) => void
  onClose: () => void
}): ControlClient {
  const { child } = options
  const parse = createControlParser()
  const waiting: Waiting[] = []
  const secret = randomBytes(8).toString('hex')
  let count = 0
  let open = true

  const close = () => {
    if (!open) return
    open = false
    child.stdin.end()
    child.kill('SIGKILL')
    for (const request of waiting.splice(0)) request.settle({ kind: 'unknown' })
    options.onClose()
  }

  const receive = (block: Block) => {
    const request = waiting[0]
    if (request === undefined) return
    if (block.lines.length !== 1 || block.lines[0] !== request.mark) {
      request.blocks.push(block)
      return
    }
    waiting.shift()
    // Hooks print blocks of their own in between; only those that carry the flags of the mark
    // answer the request.
    const answers = request.blocks.filter((answer) => answer.flags === block.flags)
    request.settle({
      kind: 'done',
      lines: answers.filter((answer) => answer.ok).flatMap((answer) => answer.lines),
      errors: answers.filter((answer) => !answer.ok).flatMap((answer) => answer.lines),
    })
  }

  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk: string) => {
    for (const event of parse(chunk)) {
      if (event.kind === 'block') receive(event.block)
      else options.onNotification(event.line)
    }
  })
  child.stderr.resume()
  child.stdin.on('error', close)
  child.on('error', close)
  child.on('close', close)

  return {
    get open() {
      return open
    },
    request: async (line) => {
      if (!open) return { kind: 'unsent' }
      return await new Promise<ControlReply>((resolve) => {
        const timer = setTimeout(close, options.timeout)
        const mark = `mark ${secret} ${String((count += 1))}`
        const settle = (reply: ControlReply) => {
          clearTimeout(timer)
          resolve(reply)
        }
        waiting.push({ mark, blocks: [], settle })
        child.stdin.write(`${line}\ndisplay-message -p "${mark}"\n`)
      })
    },
    close,
  }
}
