import type { TreeView } from '../../../core/agents/tree-document.ts'
import type { CliContext } from '../context.ts'
import type { Moment } from './moments.ts'

/** What is seen while the demo runs. */
export interface Display {
  /** A step of the demo itself: “Starting the daemon”. */
  step(text: string): void
  /** Something that happened in the tree; null only refreshes it. */
  show(moment: Moment | null): void
  /** From now on the tree can be read. */
  follow(read: () => Promise<TreeView>): void
  /** Draws the last picture and gives the terminal back. Twice is fine. */
  close(): Promise<void>
}

/** --json: nothing but the result. */
export const silentDisplay = (): Display => ({
  step() {},
  show() {},
  follow() {},
  close: async () => {},
})

/** Not a terminal: a line for each notable thing, with the seconds since the start. */
export function plainDisplay(context: CliContext): Display {
  const started = context.now()
  const { stdout } = context.terminal
  const palette = context.palette()
  const write = (text: string): void =>
    void stdout.write(
      `${palette.dim(`${((context.now() - started) / 1000).toFixed(1).padStart(5)}s`)} ${text}\n`,
    )
  return {
    step: write,
    show: (moment) => {
      if (moment !== null) write(`${palette[moment.colour](moment.sign)} ${moment.text}`)
    },
    follow() {},
    close: async () => {},
  }
}
