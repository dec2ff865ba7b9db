import type { Served } from '../../../processes/host/host-process.ts'
import type { HostedPanes } from './hosted-panes.ts'
import type { HostMessage, Verbs, ViewerInput } from './protocol.ts'
import type { Viewing } from './viewers.ts'

type Answers = {
  readonly [Verb in Exclude<keyof Verbs, 'hello' | 'shutdown'>]: (takes: Verbs[Verb]['takes']) => Verbs[Verb]['gives'] | Promise<Verbs[Verb]['gives']>
}

/** Answers one connection of the host: requests by their verb, or a viewer's keys once it asked to view. */
export function serveConnection(send: (message: HostMessage) => void, panes: HostedPanes): Served {
  let viewing: Viewing | undefined

  const answers: Answers = {
    open: panes.open,
    list: panes.list,
    type: panes.type,
    capture: panes.capture,
    rename: panes.rename,
    settle: panes.settle,
    remove: ({ paneId }) => panes.remove(paneId),
    view: (takes) => {
      viewing?.stop()
      viewing = panes.view({
        ...takes,
        onFrame: (bytes, title) => send({ event: 'frame', bytes, title }),
        onLeft: () => {
          viewing?.stop()
          viewing = undefined
          send({ event: 'left' })
        },
      })
      return viewing !== undefined
    },
  }

  return {
    answer: (verb, takes) => (answers as unknown as Record<string, (takes: unknown) => unknown>)[verb]?.(takes),
    closed: () => viewing?.stop(),
    other: (message) => {
      const input = message as ViewerInput
      if ('input' in input) viewing?.input(input.input)
      else if ('resize' in input) viewing?.resize(input.resize.columns, input.resize.rows)
    },
  }
}
