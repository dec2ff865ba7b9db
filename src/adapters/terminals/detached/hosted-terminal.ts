import { readSync } from 'node:fs'
import type { Socket } from 'node:net'
import { spawn, type IPty } from '@lydell/node-pty'
import xterm from '@xterm/headless'
import type { HostedEnd } from '../../../processes/host/hosted-process.ts'
import { signalNames } from '../../../processes/signal-names.ts'
import type { TypeResult } from '../holder.ts'
import { createInputQueue } from './input-queue.ts'
import { renderRow } from './render-row.ts'

export type Screen = InstanceType<typeof xterm.Terminal>

export interface HostedTerminal {
  readonly pid: number
  readonly screen: Screen
  /**
   * The program wants to know what the mouse does in a form that holds for a terminal of any size
   * (SGR, 1006), which the screen's own modes do not show.
   */
  readonly sgrMouse: boolean
  /** What the program called the terminal last. */
  readonly title: string | null
  readonly ended: HostedEnd | undefined
  /** Resolves when the program has ended. */
  readonly end: Promise<HostedEnd>
  readonly size: { readonly columns: number; readonly rows: number }
  /**
   * Notifies the program, where it is another size than before. One that has ended keeps its screen
   * as it was.
   */
  resize(columns: number, rows: number): Promise<void>
  /**
   * Bytes to the program, as they are; a paste is bracketed where the program asked for it by then.
   */
  type(text: string, options: { paste: boolean }): Promise<TypeResult>
  /** The screen and the last `lines` above it, wrapped lines joined, without trailing blanks. */
  capture(lines: number): Promise<string>
  /**
   * The rows of the screen with the escape sequences of their colours and attributes; with `lines`
   * also so many above it, and wrapped lines joined.
   */
  captureStyled(lines: number): Promise<string>
  dispose(): void
}

const SCROLLBACK = 2000
const READ = 65_536
/** Its number as a mode. */
const SGR_MOUSE = 1006
/**
 * Unparsed output, in bytes, at which the program has to wait and at which it may go on: xterm
 * throws away what exceeds its own limit.
 */
const PAUSE_AT = 1_000_000
const RESUME_AT = 200_000

/**
 * A program on a pseudo-terminal, with the screen that a person would see. The screen answers what
 * programs ask a terminal.
 */
export function createHostedTerminal(options: {
  argv: readonly string[]
  cwd: string
  env: Record<string, string>
  columns: number
  rows: number
  onOutput: () => void
}): HostedTerminal {
  const { argv, cwd, env, columns, rows } = options
  const [file = '', ...args] = argv
  const screen = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: SCROLLBACK,
    allowProposedApi: true,
    logLevel: 'off',
  })
  // Without an encoding the pty gives bytes, which the screen puts together across chunk borders.
  const pty = spawn(file, args, {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env,
    encoding: null,
  })
  const { fd, _socket: socket } = pty as unknown as { fd: number; _socket: Socket }
  const { write } = createInputQueue(fd, () => !socket.destroyed)
  let ended: HostedTerminal['ended']
  let title: string | null = null
  let unparsed = 0
  let paused = false
  let sgrMouse = false
  for (const final of ['h', 'l'])
    screen.parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      if (modes.includes(SGR_MOUSE)) sgrMouse = final === 'h'
      return false
    })
  screen.parser.registerEscHandler({ final: 'c' }, () => (sgrMouse = false))

  const onData = (chunk: unknown) => {
    const bytes = chunk as Buffer
    unparsed += bytes.length
    if (unparsed > PAUSE_AT && !paused) {
      paused = true
      pty.pause()
    }
    screen.write(bytes, () => {
      unparsed -= bytes.length
      if (paused && unparsed < RESUME_AT) {
        paused = false
        pty.resume()
      }
      options.onOutput()
    })
  }
  pty.onData(onData)
  // node-pty lets go of the terminal 200 ms after its program has ended, whatever has not been read
  // by then: while it was paused, or all were late.
  const letGo = socket.destroy.bind(socket)
  let released = false
  socket.destroy = () => {
    // What it reads goes to the listeners for data.
    if (!released) while (socket.read() !== null);
    if (!released && !socket.destroyed) for (const chunk of restOf(fd)) onData(chunk)
    released = true
    return letGo()
  }
  screen.onData((answer) => {
    if (ended === undefined) write(answer)
  })
  screen.onTitleChange((said) => (title = said.replace(/\p{Cc}+/gu, ' ').trim() || null))
  const end = new Promise<HostedEnd>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      const killed = signal !== undefined && signal !== 0
      ended = {
        exitCode: killed ? null : exitCode,
        exitSignal: killed ? (signalNames.get(signal) ?? `signal ${String(signal)}`) : null,
      }
      resolve(ended)
    })
  })
  const parsed = async () => await new Promise<void>((resolve) => screen.write('', resolve))

  return {
    pid: pty.pid,
    screen,
    get sgrMouse() {
      return sgrMouse
    },
    get ended() {
      return ended
    },
    get title() {
      return title
    },
    end,
    get size() {
      return { columns: screen.cols, rows: screen.rows }
    },
    resize: async (newColumns, newRows) => {
      await parsed()
      // Of a program that ended the descriptor may be another's by now.
      if (
        ended !== undefined ||
        socket.destroyed ||
        (newColumns === screen.cols && newRows === screen.rows)
      )
        return
      try {
        pty.resize(newColumns, newRows)
        screen.resize(newColumns, newRows)
      } catch {
        // Its program ends just now.
      }
    },
    type: async (text, { paste }) => {
      await parsed()
      if (ended !== undefined) return { kind: 'dead' }
      write(paste && screen.modes.bracketedPasteMode ? `\u001B[200~${text}\u001B[201~` : text)
      return { kind: 'typed' }
    },
    capture: async (lines) => {
      await parsed()
      return textOf(screen, lines)
    },
    captureStyled: async (lines) => {
      await parsed()
      return styledTextOf(screen, lines)
    },
    dispose: () => {
      // Of a program that ended the process id may be another's by now, and `destroy` would signal
      // it.
      released = true
      if (ended === undefined) releasePty(pty)
      screen.dispose()
    },
  }
}

function textOf({ buffer, rows }: Screen, lines: number): string {
  const { active } = buffer
  const text: string[] = []
  for (let row = Math.max(0, active.baseY - lines); row < active.baseY + rows; row += 1) {
    const line = active.getLine(row)
    const wrapsOn = active.getLine(row + 1)?.isWrapped === true
    const content = line?.translateToString(!wrapsOn) ?? ''
    if (line?.isWrapped === true && text.length > 0) text[text.length - 1] += content
    else text.push(content)
  }
  return text
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()
}

function styledTextOf({ buffer, rows, cols }: Screen, lines: number): string {
  const { active } = buffer
  const text: string[] = []
  for (let row = Math.max(0, active.baseY - lines); row < active.baseY + rows; row += 1) {
    const line = active.getLine(row)
    const content = `${renderRow(line, 0, cols)}\u001B[0m`
    if (lines > 0 && line?.isWrapped === true && text.length > 0) text[text.length - 1] += content
    else text.push(content)
  }
  return text.join('\n')
}

/** What the system still has of it. */
function* restOf(fd: number): Generator<Buffer> {
  for (;;) {
    const buffer = Buffer.alloc(READ)
    let length: number
    try {
      length = readSync(fd, buffer)
    } catch {
      // There is nothing more: EIO once nobody has it open, EAGAIN while what the program started
      // does.
      return
    }
    if (length === 0) return
    yield buffer.subarray(0, length)
  }
}

/** Closes our end, which hangs up what is left on the terminal. */
function releasePty(pty: IPty): void {
  const { destroy } = pty as IPty & { destroy?: () => void }
  destroy?.call(pty)
}
