import type { TreeView } from '../../../core/agents/tree-document.ts'
import type { CliContext } from '../context.ts'
import { renderTree } from '../../text/tree/tree-view.ts'
import { cut } from '../../text/width.ts'
import type { Display } from './display.ts'
import type { Moment } from './moments.ts'

/** Between two pictures, and between two looks at the tree. Milliseconds. */
const FRAME = 120
const LOOK = 240
/** Notable things shown under the tree. */
const MOST_MOMENTS = 14

/**
 * A terminal: the live tree, and below it what happened last, drawn over itself until it is closed.
 */
export function liveDisplay(context: CliContext): Display {
  const { stdout } = context.terminal
  const palette = context.palette()
  const started = context.now()
  const moments: { readonly at: number; readonly moment: Moment }[] = []
  let read: (() => Promise<TreeView>) | null = null
  let view: TreeView | null = null
  let reading = false
  let lookedAt = 0
  let frame = 0
  let height = 0
  let timer: NodeJS.Timeout | undefined

  const seconds = (at: number): string =>
    palette.dim(`${((at - started) / 1000).toFixed(1).padStart(5)}s`)

  const look = async (): Promise<void> => {
    if (read === null || reading) return
    reading = true
    lookedAt = context.now()
    // A daemon that is busy only delays the next picture.
    view = await read().catch(() => view)
    reading = false
  }

  const draw = (): void => {
    if (view === null) return
    const width = context.width() - 1
    const rows = (stdout.rows ?? 24) - 1
    const tree = renderTree(
      { ...view, inbox: { messages: 0, questions: 0, approvals: 0, items: 0, news: 0 } },
      { width, palette, frame },
    )
    const room = Math.max(0, Math.min(MOST_MOMENTS, rows - tree.length - 2))
    const last =
      room === 0
        ? []
        : moments
            .slice(-room)
            .map(
              ({ at, moment }) =>
                `${seconds(at)} ${palette[moment.colour](moment.sign)} ${cut(moment.text, width - 10)}`,
            )
    const lines = [...tree, '', ...last].slice(0, rows)
    stdout.write(`${height > 0 ? `\u001b[${height}A` : ''}\r\u001b[J${lines.join('\n')}\n`)
    height = lines.length
  }

  const tick = (): void => {
    frame++
    if (context.now() - lookedAt >= LOOK) void look()
    draw()
  }

  return {
    step: (text) => void stdout.write(`${palette.active('◆')} ${text}\n`),
    show: (moment) => {
      if (moment !== null) moments.push({ at: context.now(), moment })
    },
    follow(reader) {
      read = reader
      stdout.write('\n\u001b[?25l')
      timer = setInterval(tick, FRAME)
    },
    async close() {
      if (timer === undefined) return
      clearInterval(timer)
      timer = undefined
      await look()
      draw()
      stdout.write('\u001b[?25h')
    },
  }
}
