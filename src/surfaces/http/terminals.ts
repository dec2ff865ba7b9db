import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { Core } from '../../core/core.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'
import type { Log } from '../../runtime/log.ts'
import { parseInput } from '../parse-input.ts'
import { actsAsHuman } from '../tool-access.ts'
import {
  terminalInput,
  UNSHOWN,
  type TerminalInput,
  type TerminalMessage,
} from './terminal-messages.ts'
import type { Upgrade } from './upgrades.ts'

const PATH = '/v1/agents/:agent/terminal'
/** Each is a program, or a connection to the detached host. */
const MOST_OPEN = 64
/** Bytes of keys that a pane has not taken at which no more are read. */
const UNTAKEN = 65_536
const UNTAKEN_POLL = 20
/** Of a new connection, until it says its own. */
const USUAL = { columns: 80, rows: 24 }

type Mode = 'look' | 'type'
type View = Awaited<ReturnType<Core['control']['view']>>['view']

const size = z.object({
  columns: z.coerce.number().int().min(1).max(1000).default(USUAL.columns),
  rows: z.coerce.number().int().min(1).max(500).default(USUAL.rows),
})

/**
 * `GET /v1/agents/{agent}/terminal` as a WebSocket (terminal-messages.ts): the agent’s pane as a
 * person sees it, first to look at, and to type in once asked for. For people alone.
 */
export function terminalUpgrade(deps: {
  readonly core: Pick<Core, 'control'>
  readonly log: Log
}): Upgrade {
  let open = 0
  return {
    path: PATH,
    protocol: 'websocket',
    admit: async ({ caller, params, query }) => {
      if (!actsAsHuman(caller))
        throw new ExomonadError(
          'NOT_ALLOWED',
          'Only the human may see and use an agent’s terminal. Use the tool `send` to reach it.',
        )
      const wanted = parseInput(size, Object.fromEntries(query), `GET ${PATH}`)
      if (open >= MOST_OPEN)
        throw new ExomonadError(
          'NOT_AVAILABLE',
          `${String(MOST_OPEN)} terminals are open already. Close some of them.`,
        )
      return (socket) => {
        open += 1
        socket.once('close', () => (open -= 1))
        serveTerminal(socket, {
          ...deps,
          agent: params['agent'] ?? '',
          size: wanted,
          mayType: caller.readOnly !== true,
        })
      }
    },
  }
}

function serveTerminal(
  socket: WebSocket,
  options: {
    readonly core: Pick<Core, 'control'>
    readonly log: Log
    readonly agent: string
    readonly size: { columns: number; rows: number }
    readonly mayType: boolean
  },
): void {
  const { core, log, agent, mayType } = options
  let { size: ownSize } = options
  let view: View | undefined
  /** Of the view that is shown; what an earlier one still says is thrown away. */
  let current = 0
  let opening: Promise<void> = Promise.resolve()
  let given = 0
  let shown = 0
  let paused = false
  let waiting: NodeJS.Timeout | undefined

  const say = (message: TerminalMessage): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }
  const refuse = (thrown: unknown): void => {
    const error = asExomonadError(thrown)
    if (error.code === 'INTERNAL') log.error({ err: error.cause ?? error }, 'a terminal failed')
    say({ type: 'error', code: error.code, error: error.message })
  }
  const flow = (): void => {
    const unshown = given - shown
    if (!paused && unshown > UNSHOWN.most) view?.pause()
    else if (paused && unshown <= UNSHOWN.least) view?.resume()
    else return
    paused = !paused
  }

  const openNow = async (mode: Mode, number: number): Promise<void> => {
    if (number !== current || socket.readyState !== socket.OPEN) return
    view?.close()
    view = undefined
    paused = false
    const early: (() => void)[] = []
    let isOpen = false
    /** Before it is known to be there, what it says waits for the word that it is. */
    const inOrder = (act: () => void): void => {
      if (number !== current) return
      if (isOpen) act()
      else early.push(act)
    }
    const opened = await core.control.view(agent, {
      ...ownSize,
      readOnly: mode === 'look',
      onOutput: (bytes) =>
        inOrder(() => {
          given += bytes.length
          socket.send(bytes)
          flow()
        }),
      onState: (state) => inOrder(() => say({ type: 'state', ...state })),
      onEnd: (reason) =>
        inOrder(() => {
          say({ type: 'ended', reason })
          socket.close(1000)
        }),
    })
    if (number !== current || socket.readyState !== socket.OPEN) return opened.view.close()
    view = opened.view
    const { kind } = view
    say({ type: 'opened', agent_id: opened.agent.id, kind, mode, may_type: mayType })
    isOpen = true
    for (const act of early) act()
    if (mode === 'type') view.resize(ownSize.columns, ownSize.rows)
    flow()
  }
  const open = (mode: Mode): void => {
    current += 1
    const number = current
    opening = opening.then(() =>
      openNow(mode, number).catch((thrown: unknown) => {
        refuse(thrown)
        socket.close(1000)
      }),
    )
  }

  const obey = (input: TerminalInput): void => {
    if (input.type === 'shown') {
      shown = Math.min(given, Math.max(shown, input.bytes))
      return flow()
    }
    if (input.type === 'look') return open('look')
    ownSize = { columns: input.columns, rows: input.rows }
    if (input.type === 'resize') return view?.resize(input.columns, input.rows)
    if (mayType) return open('type')
    throw new ExomonadError('NOT_ALLOWED', 'This page may only look. Open one that may write.')
  }
  /** Who sends keys faster than the pane takes them is not read any further. */
  const hold = (): void => {
    if (waiting !== undefined || (view?.untaken ?? 0) <= UNTAKEN) return
    socket.pause()
    waiting = setInterval(() => {
      if ((view?.untaken ?? 0) > UNTAKEN) return
      clearInterval(waiting)
      waiting = undefined
      socket.resume()
    }, UNTAKEN_POLL)
  }

  const decoder = new TextDecoder()
  socket.on('message', (data: Buffer, isBinary) => {
    try {
      if (isBinary) {
        view?.type(decoder.decode(data, { stream: true }))
        hold()
      } else obey(parseInput(terminalInput, parseJson(data.toString()), `GET ${PATH}`))
    } catch (thrown) {
      refuse(thrown)
    }
  })
  socket.on('close', () => {
    current += 1
    clearInterval(waiting)
    view?.close()
  })
  open('look')
}
