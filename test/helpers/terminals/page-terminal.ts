import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import xterm from '@xterm/headless'
import { WebSocket } from 'ws'
import { repositoryHash } from '../../../src/runtime/paths.ts'
import type {
  TerminalInput,
  TerminalMessage,
} from '../../../src/surfaces/http/terminal-messages.ts'
import type { Exomonad } from '../daemon.ts'
import { waitFor } from '../wait-for.ts'

type Said<Type extends TerminalMessage['type']> = Extract<TerminalMessage, { type: Type }>

/** A terminal of the page, without a browser: on the daemon’s socket, with the owner’s token. */
export interface PageTerminal {
  /** Status where the daemon refused it; 101 once it is open. */
  readonly status: Promise<number>
  readonly closed: Promise<void>
  readonly bytes: number
  text(): string
  sees(text: string): Promise<void>
  said<Type extends TerminalMessage['type']>(type: Type): Said<Type>[]
  say(input: TerminalInput): void
  type(keys: string): void
  /** Clicks into it, and waits until it takes keys. */
  toType(columns?: number, rows?: number): Promise<void>
  end(): void
}

export async function ownerToken(tree: Exomonad): Promise<string> {
  const common = await tree.repository.git(
    'rev-parse',
    '--path-format=absolute',
    '--git-common-dir',
  )
  const state = tree.repository.env['XDG_STATE_HOME'] ?? ''
  return readFileSync(join(state, 'exomonad', `${repositoryHash(common)}.token`), 'utf8').trim()
}

/** `shows`: false for one that stands still and says of nothing that it was shown. */
export async function openTerminal(
  tree: Exomonad,
  agent: string,
  { token, shows = true }: { token?: string; shows?: boolean } = {},
): Promise<PageTerminal> {
  const { socket: path } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
  const socket = new WebSocket(
    `ws+unix:${path}:/v1/agents/${encodeURIComponent(agent)}/terminal?columns=90&rows=25`,
    { headers: { authorization: `Bearer ${token ?? (await ownerToken(tree))}` } },
  )
  const screen = new xterm.Terminal({
    cols: 90,
    rows: 25,
    allowProposedApi: true,
    scrollback: 9999,
  })
  const messages: TerminalMessage[] = []
  let bytes = 0
  const say = (input: TerminalInput): void => socket.send(JSON.stringify(input))
  socket.on('error', () => {})
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      screen.write(data, () => {
        bytes += data.length
        if (shows && socket.readyState === WebSocket.OPEN) say({ type: 'shown', bytes })
      })
      return
    }
    const message = JSON.parse(data.toString()) as TerminalMessage
    messages.push(message)
    if (message.type === 'opened') screen.reset()
    if (message.type === 'state') screen.resize(message.columns, message.rows)
  })
  const { buffer } = screen
  const text = (): string =>
    Array.from(
      { length: buffer.active.length },
      (_, row) => buffer.active.getLine(row)?.translateToString(true) ?? '',
    ).join('\n')
  const said = <Type extends TerminalMessage['type']>(type: Type): Said<Type>[] =>
    messages.filter((message): message is Said<Type> => message.type === type)
  return {
    status: new Promise((resolve) => {
      socket.once('open', () => resolve(101))
      socket.once('unexpected-response', (_request, { statusCode = 0 }) => {
        socket.terminate()
        resolve(statusCode)
      })
    }),
    closed: new Promise((resolve) => void socket.once('close', () => resolve())),
    get bytes() {
      return bytes
    },
    text,
    sees: async (wanted) => {
      await waitFor(`the terminal of ${agent} to show ${wanted}`, () => text().includes(wanted), {
        limit: 60_000,
      })
    },
    said,
    say,
    type: (keys) => socket.send(Buffer.from(keys)),
    toType: async (columns = 100, rows = 30) => {
      await waitFor('the first look', () => said('opened').length > 0)
      say({ type: 'type', columns, rows })
      await waitFor('typing', () => said('opened').at(-1)?.mode === 'type')
    },
    end: () => socket.terminate(),
  }
}
