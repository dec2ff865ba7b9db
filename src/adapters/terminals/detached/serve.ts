import type { Socket } from 'node:net'
import type { Served } from '../../../processes/host/host-process.ts'
import type { HeldPanes } from './held.ts'
import type { Viewing } from './viewers.ts'
import type { Following } from './output-followers.ts'
import type { FollowMessage, HostMessage, Verbs, ViewerInput } from './protocol.ts'

/** Bytes that may wait for a slow follower; what comes beyond is left out for it. */
const FOLLOW_LIMIT = 2_000_000

/**
 * Bytes of frames that may wait for one who looks and does not read: a terminal that stands still
 * is not to fill the memory of all.
 */
const FRAME_LIMIT = 1_000_000

type Handlers = {
  readonly [Verb in Exclude<keyof Verbs, 'hello' | 'shutdown'>]: (
    takes: Verbs[Verb]['takes'],
  ) => Verbs[Verb]['gives'] | Promise<Verbs[Verb]['gives']>
}

/**
 * Serves one connection of the host: requests by their verb, and a viewer’s keys once it asked to
 * view.
 */
export function serveConnection(
  {
    send,
    socket,
  }: {
    send: (message: HostMessage | FollowMessage) => void
    socket: Pick<Socket, 'writableLength' | 'once'>
  },
  panes: HeldPanes,
): Served {
  let viewing: Viewing | undefined
  let following: Following | undefined
  const handlers: Handlers = {
    open: panes.open,
    list: panes.list,
    paste: panes.paste,
    key: panes.key,
    write: panes.write,
    capture: panes.capture,
    rename: panes.rename,
    end: panes.end,
    remove: panes.remove,
    session: panes.session,
    prompt: panes.prompt,
    mentions: panes.mentions,
    view: (takes) => {
      viewing?.stop()
      viewing = panes.view({
        ...takes,
        onFrame: (bytes, title, size) => send({ event: 'frame', bytes, title, ...size }),
        isBehind: () => socket.writableLength > FRAME_LIMIT,
        onLeft: () => {
          viewing?.stop()
          viewing = undefined
          send({ event: 'left' })
        },
      })
      return viewing !== undefined
    },
    follow: (takes) => {
      following?.stop()
      following = panes.follow(takes, {
        send,
        isBehind: () => socket.writableLength > FOLLOW_LIMIT,
        onceRead: (listener) => socket.once('drain', listener),
      })
      return following !== undefined
    },
  }

  return {
    answer: (verb, takes) => {
      const answer = (
        handlers as unknown as Record<string, ((takes: unknown) => unknown) | undefined>
      )[verb]
      if (answer === undefined) throw new Error(`this host knows no "${verb}"`)
      return answer(takes)
    },
    other: (message) => {
      const input = message as ViewerInput
      if ('input' in input) viewing?.input(input.input)
      else if ('resize' in input) viewing?.resize(input.resize.columns, input.resize.rows)
    },
    closed: () => {
      viewing?.stop()
      following?.stop()
    },
  }
}
