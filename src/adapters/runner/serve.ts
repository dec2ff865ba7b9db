import type { Socket } from 'node:net'
import type { Served } from '../../processes/host/host-process.ts'
import type { Entries, Following } from './entries.ts'
import type { FollowMessage, Verbs } from './protocol.ts'

/** Bytes that may wait for a slow follower; what comes beyond is left out for it. */
const FOLLOW_LIMIT = 2_000_000

type Answers = {
  readonly [Verb in Exclude<keyof Verbs, 'hello' | 'shutdown'>]: (takes: Verbs[Verb]['takes']) => Verbs[Verb]['gives'] | Promise<Verbs[Verb]['gives']>
}

/** Answers one connection of the runner. */
export function serveRunner({ send, socket }: { send: (message: object) => void; socket: Pick<Socket, 'writableLength'> }, entries: Entries): Served {
  let following: Following | undefined
  let skipping = false

  const tell = (message: FollowMessage) => {
    if (message.event === 'text' && socket.writableLength > FOLLOW_LIMIT) {
      if (!skipping) send({ event: 'text', text: '\n[exomonad] too fast to show; the output file has all of it\n' } satisfies FollowMessage)
      skipping = true
      return
    }
    skipping = false
    send(message)
  }

  const answers: Answers = {
    open: entries.open,
    list: entries.list,
    paste: entries.paste,
    key: entries.key,
    write: entries.write,
    capture: entries.capture,
    rename: entries.rename,
    end: entries.end,
    remove: entries.remove,
    session: entries.session,
    prompt: entries.prompt,
    mentions: entries.mentions,
    follow: (takes) => {
      following?.stop()
      following = entries.follow(takes, tell)
      return following !== undefined
    },
  }

  return {
    answer: (verb, takes) => {
      const answer = (answers as unknown as Record<string, ((takes: unknown) => unknown) | undefined>)[verb]
      if (answer === undefined) throw new Error(`this runner knows no "${verb}"`)
      return answer(takes)
    },
    closed: () => following?.stop(),
  }
}
