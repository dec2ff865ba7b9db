import { startHostedProcess } from '../../../processes/host/hosted-process.ts'
import type { OutputLog } from '../../../processes/host/output-log.ts'
import type { startOnPipes } from '../../../processes/start-on-pipes.ts'
import type { TypeResult } from '../holder.ts'
import type { Hosted, Session } from './hosted.ts'

type Output = Pick<Hosted, 'capture' | 'close'>

/** As many lines as a terminal would show, and more. */
const outputOf = (log: OutputLog, rows: number): Output => ({
  capture: async (lines, { styled }) => log.tail(rows + lines, { styled }),
  close: () => void log.close(),
})

/** A process on pipes: what is pasted and typed goes to its standard input. */
export function hostProcess(options: {
  start: typeof startOnPipes
  cwd: string
  env: Readonly<Record<string, string>>
  argv: readonly string[]
  rows: number
  log: OutputLog
}): Hosted {
  const { log, rows } = options
  const hosted = startHostedProcess(options)
  const put = async (text: string): Promise<TypeResult> => {
    const written = await hosted.write(text)
    if (written === 'full')
      return { kind: 'busy', reason: 'it does not read its standard input, and that is full' }
    return written === 'written' ? { kind: 'typed' } : { kind: 'dead' }
  }
  return {
    ...outputOf(log, rows),
    pid: hosted.pid,
    get ended() {
      return hosted.ended
    },
    end: hosted.end,
    write: hosted.write,
    paste: put,
    enter: () => put('\n'),
    escape: async () => ({
      kind: 'busy',
      reason: 'a process without a terminal has no Escape key',
    }),
    leavesBehind: hosted.leavesBehind,
    leave: () => undefined,
  }
}

/** A session: what is pasted becomes a prompt with Enter. */
export const hostSession = (
  session: Session,
  { log, rows }: { log: OutputLog; rows: number },
): Hosted => ({
  ...outputOf(log, rows),
  pid: session.pid,
  get ended() {
    return session.ended
  },
  end: session.end,
  write: async () => 'closed',
  paste: session.paste,
  enter: session.enter,
  escape: session.escape,
  // It ends its own group.
  leavesBehind: async () => false,
  leave: session.leave,
})
