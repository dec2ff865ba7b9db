import type { HostedEnd } from '../../../processes/host/hosted-process.ts'
import type { OutputLog } from '../../../processes/host/output-log.ts'
import type { FollowMessage } from './protocol.ts'

export interface Following {
  stop(): void
}

/**
 * Sends what was said last, what is said from here on, and how it ended; `followers` are called
 * when the pane goes.
 */
export function followOutput(
  {
    log,
    hosted,
  }: { readonly log: OutputLog; readonly hosted: { readonly end: Promise<HostedEnd> } },
  followers: Set<() => void>,
  send: (message: FollowMessage) => void,
): Following {
  const left = () => send({ event: 'left' })
  const stop = log.follow((text) => send({ event: 'text', text }))
  const before = log.tail(Infinity, { styled: true })
  if (before !== '') send({ event: 'text', text: `${before}\n` })
  followers.add(left)
  void hosted.end.then((end) => {
    if (followers.has(left)) send({ event: 'ended', how: describeEnd(end) })
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
