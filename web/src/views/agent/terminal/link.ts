import type {
  TerminalInput,
  TerminalMessage,
} from '../../../../../src/surfaces/http/terminal-messages.ts'
import { openSocket } from '../../../api/page-key.ts'

export type { TerminalMessage }
export type TerminalState = Extract<TerminalMessage, { type: 'state' }>
export type Opened = Extract<TerminalMessage, { type: 'opened' }>

/** How a terminal stands, beside what is drawn in it. */
export interface Standing {
  /**
   * `lost`: the daemon went, it is tried again. `over`: nothing more comes, `why` says it. `refused`:
   * there is nothing to show.
   */
  readonly phase: 'connecting' | 'open' | 'lost' | 'over' | 'refused'
  readonly opened: Opened | null
  readonly state: TerminalState | null
  /** In words; empty where all is well. */
  readonly why: string
  readonly code: string | null
}

export interface TerminalLink {
  /** Keys as a terminal sends them; thrown away unless it is in `type`. */
  type(keys: string): void
  /** Asks to type, in a terminal of this size. */
  takeKeys(size: { readonly columns: number; readonly rows: number }): void
  /** Only looks again. */
  letGo(): void
  resize(size: { readonly columns: number; readonly rows: number }): void
  /** Tries again at once, also where it was over. */
  retry(): void
  close(): void
}

const FIRST: Standing = { phase: 'connecting', opened: null, state: null, why: '', code: null }
/** First and longest wait before the next try. Milliseconds. */
const RETRY = { first: 150, longest: 2000 }
/** Bytes shown after which the daemon is told at the latest; it waits at four times as many. */
const TELL = 65_536
/** Bytes in one message. */
const PIECE = 65_536

/**
 * The WebSocket of an agent’s terminal, opened again when the daemon comes back: to look, as it was
 * in the beginning, so that nobody types into what they have not seen.
 */
export function openLink(
  agent: string,
  to: {
    /** What comes is drawn on an empty screen from here on. */
    readonly clear: () => void
    /** `done` when it stands on the screen. */
    readonly draw: (bytes: Uint8Array, done: () => void) => void
    readonly change: (standing: Standing) => void
  },
): TerminalLink {
  let standing = FIRST
  let socket: WebSocket | undefined
  let timer: number | undefined
  let wait = RETRY.first
  let closed = false

  const set = (change: Partial<Standing>) => {
    standing = { ...standing, ...change }
    to.change(standing)
  }
  const say = (input: TerminalInput) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(input))
  }
  const open = () => {
    clearTimeout(timer)
    if (closed) return
    const mine = openSocket(`/v1/agents/${encodeURIComponent(agent)}/terminal`)
    mine.binaryType = 'arraybuffer'
    socket = mine
    let shown = 0
    let told = 0
    let drawing = 0
    const tell = () => {
      if (shown === told || socket !== mine) return
      told = shown
      say({ type: 'shown', bytes: shown })
    }
    mine.addEventListener('message', ({ data }) => {
      if (socket !== mine) return
      if (data instanceof ArrayBuffer) {
        drawing += 1
        to.draw(new Uint8Array(data), () => {
          drawing -= 1
          shown += data.byteLength
          if (drawing === 0 || shown - told >= TELL) tell()
        })
        return
      }
      const message = JSON.parse(String(data)) as TerminalMessage
      if (message.type === 'opened') {
        wait = RETRY.first
        to.clear()
        set({ phase: 'open', opened: message, why: '', code: null })
      } else if (message.type === 'state') set({ state: message })
      else if (message.type === 'ended') set({ phase: 'over', why: message.reason })
      else if (standing.phase === 'open') set({ why: message.error, code: message.code })
      else set({ phase: 'refused', why: message.error, code: message.code })
    })
    mine.addEventListener('close', () => {
      if (socket !== mine || closed) return
      socket = undefined
      if (standing.phase === 'over' || standing.phase === 'refused') return
      set({ phase: 'lost', opened: null })
      timer = window.setTimeout(open, wait)
      wait = Math.min(wait * 2, RETRY.longest)
    })
  }
  open()

  const encoder = new TextEncoder()
  return {
    type: (keys) => {
      if (standing.opened?.mode !== 'type' || socket?.readyState !== WebSocket.OPEN) return
      const bytes = encoder.encode(keys)
      for (let from = 0; from < bytes.length; from += PIECE)
        socket.send(bytes.subarray(from, from + PIECE))
    },
    takeKeys: (size) => say({ type: 'type', ...size }),
    letGo: () => say({ type: 'look' }),
    resize: (size) => say({ type: 'resize', ...size }),
    retry: () => {
      wait = RETRY.first
      const before = socket
      socket = undefined
      before?.close()
      set(FIRST)
      open()
    },
    close: () => {
      closed = true
      clearTimeout(timer)
      socket?.close()
    },
  }
}
