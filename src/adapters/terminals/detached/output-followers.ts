import type { HostedEnd } from '../../../processes/host/hosted-process.ts'
import type { OutputLog } from '../../../processes/host/output-log.ts'
import type { FollowMessage } from './protocol.ts'

export interface Following {
  stop(): void
}

/** Who follows. */
export interface Follower {
  send(message: FollowMessage): void
  /** It reads slower than what is said comes. */
  isBehind(): boolean
  /** Calls back once: when it has read all that was sent. */
  onceRead(listener: () => void): void
}

const LEFT_OUT = '\n[exomonad] too fast to show; the output file has all of it\n'

/**
 * Sends what was said last, what is said from here on, and how it ended; `followers` are called
 * when the pane goes. Who falls behind gets nothing more until they have read what there is, and
 * then what was said last: whatever was left out, they see how it ended.
 */
export function followOutput(
  {
    log,
    hosted,
  }: {
    readonly log: Pick<OutputLog, 'follow' | 'tail'>
    readonly hosted: { readonly end: Promise<HostedEnd> }
  },
  followers: Set<() => void>,
  follower: Follower,
): Following {
  const left = () => follower.send({ event: 'left' })
  let skips = false
  let ended: FollowMessage | undefined
  const sendLast = (before = '') => {
    const last = log.tail(Infinity, { styled: true })
    const text = before + (last === '' ? '' : `${last}\n`)
    if (text !== '') follower.send({ event: 'text', text })
  }
  const goOn = () => {
    if (!followers.has(left)) return
    skips = false
    sendLast(LEFT_OUT)
    if (ended !== undefined) follower.send(ended)
  }
  const stop = log.follow((text) => {
    if (skips) return
    if (!follower.isBehind()) return follower.send({ event: 'text', text })
    skips = true
    follower.onceRead(goOn)
  })
  sendLast()
  followers.add(left)
  void hosted.end.then((end) => {
    if (!followers.has(left)) return
    ended = { event: 'ended', how: describeEnd(end) }
    if (!skips) follower.send(ended)
  })
  return {
    stop: () => {
      stop()
      followers.delete(left)
    },
  }
}

const describeEnd = ({ exitCode, exitSignal }: HostedEnd): string =>
  exitSignal ?? (exitCode === null ? 'it did not start' : `exit code ${String(exitCode)}`)
