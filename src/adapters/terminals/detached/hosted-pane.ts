import type { Hosted } from './hosted.ts'
import { createHostedTerminal } from './hosted-terminal.ts'
import { createViewers, type Viewers } from './viewers.ts'

export interface HostedPane extends Hosted {
  readonly title: string | null
  /** When somebody who looks at it typed last (ms since the epoch); null where nobody looks. */
  readonly humanActiveAt: number | null
  /** What it is called changed: those who look at it are shown that. */
  refresh(): void
  /** `onLeft` is called when the pane goes. */
  readonly view: Viewers['view']
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
  const terminal = createHostedTerminal({
    argv,
    cwd,
    env,
    columns: options.columns,
    rows: options.rows,
    onOutput: () => viewers.refresh(),
  })
  const title = () => {
    const { ended } = terminal
    return ended === undefined
      ? name()
      : `${name()} ended (${ended.exitSignal ?? `exit code ${String(ended.exitCode)}`})`
  }
  const viewers = createViewers({ terminal, title, now })
  void terminal.end.then(viewers.refresh)

  return {
    pid: terminal.pid,
    get ended() {
      return terminal.ended
    },
    get title() {
      return terminal.title
    },
    get humanActiveAt() {
      return viewers.activeAt
    },
    end: terminal.end,
    write: async () => 'closed',
    paste: (text) => terminal.type(text, { paste: true }),
    enter: () => terminal.type('\r', { paste: false }),
    escape: () => terminal.type('\u001B', { paste: false }),
    capture: (lines, { styled }) =>
      styled ? terminal.captureStyled(lines) : terminal.capture(lines),
    // Its hang-up ends them.
    leavesBehind: async () => false,
    leave: () => undefined,
    close: () => {
      viewers.leave()
      terminal.dispose()
    },
    refresh: viewers.refresh,
    view: viewers.view,
  }
}
