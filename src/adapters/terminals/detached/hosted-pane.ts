import type { Hosted } from './hosted.ts'
import { createHostedTerminal, type HostedTerminal } from './hosted-terminal.ts'
import type { Verbs } from './protocol.ts'
import { createViewer, type Viewer } from './viewer.ts'

export interface Viewing {
  input(text: string): void
  resize(columns: number, rows: number): void
  stop(): void
}

export interface HostedPane extends Hosted {
  readonly title: string | null
  /** When somebody who looks at it typed last (ms since the epoch); null where nobody looks. */
  readonly humanActiveAt: number | null
  /** `onLeft` is called when the pane goes. */
  view(options: Verbs['view']['takes'] & { onFrame: (bytes: string, title: string) => void; onLeft: () => void }): Viewing
}

/** A program on a terminal, and those who look at it. `name`: what it is called now. */
export function createHostedPane(options: {
  argv: readonly string[]
  cwd: string
  env: Record<string, string>
  columns: number
  rows: number
  name: () => string
  now: () => number
}): HostedPane {
  const { argv, cwd, env, now, name } = options
  const viewers = new Map<Viewer, { lastInputAt: number; onLeft: () => void }>()
  const refresh = () => {
    for (const viewer of viewers.keys()) viewer.refresh()
  }
  const terminal: HostedTerminal = createHostedTerminal({ argv, cwd, env, columns: options.columns, rows: options.rows, onOutput: refresh })
  void terminal.end.then(refresh)

  const title = () => {
    const { ended } = terminal
    return ended === undefined ? name() : `${name()} ended (${ended.exitSignal ?? `exit code ${String(ended.exitCode)}`})`
  }

  return {
    pid: terminal.pid,
    get ended() {
      return terminal.ended
    },
    get title() {
      return terminal.title
    },
    get humanActiveAt() {
      return viewers.size === 0 ? null : Math.max(...[...viewers.values()].map(({ lastInputAt }) => lastInputAt))
    },
    end: terminal.end,
    write: async () => 'closed',
    paste: (text) => terminal.type(text, { paste: true }),
    enter: () => terminal.type('\r', { paste: false }),
    escape: () => terminal.type('\u001B', { paste: false }),
    capture: (lines, { styled }) => (styled ? terminal.captureStyled() : terminal.capture(lines)),
    leave: () => undefined,
    close: () => {
      for (const { onLeft } of viewers.values()) onLeft()
      terminal.dispose()
    },
    view: ({ columns, rows, onFrame, onLeft }) => {
      const viewer = createViewer({ screen: terminal.screen, columns, rows, onFrame: (bytes) => onFrame(bytes, title()) })
      const person = { lastInputAt: now(), onLeft }
      viewers.set(viewer, person)
      return {
        input: (text) => {
          person.lastInputAt = now()
          void terminal.type(text, { paste: false })
        },
        resize: (newColumns, newRows) => viewer.resize(newColumns, newRows),
        stop: () => {
          viewer.close()
          viewers.delete(viewer)
        },
      }
    },
  }
}
