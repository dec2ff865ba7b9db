import { cut } from '../../text/width.ts'
import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { shortDuration } from '../../text/duration.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import { statusLayer } from '../agents/status-layer.ts'
import type { FrameOptions } from './frame-options.ts'
import { askRows, type Bottom } from './rows/ask-rows.ts'
import { inputRows, rule } from './rows/input-rows.ts'
import { movingWords, secondsSince, turningSign } from './rows/moving-row.ts'
import { hasEnded } from './rotation.ts'
import {
  awaited,
  inputFor,
  isUnmanned,
  lineOf,
  nodeOf,
  viewOf,
  type ConsoleState,
} from './state.ts'

/** What stands below the scrollback: how a fan-in stands, what runs, what can be typed. */
export function bottomRows(
  state: ConsoleState,
  node: TreeNode | undefined,
  options: FrameOptions & { readonly below: number },
): Bottom {
  const { columns: width, palette, rows: height } = options
  if (state.ask !== null) return askRows(state, state.ask, options)
  if (state.overlay !== null)
    return {
      rows: [palette.dim(cut('Escape goes back · ↑ ↓ PgUp PgDn scroll', width))],
      cursor: null,
    }
  if (node === undefined) return { rows: [], cursor: null }
  const layer =
    awaited(state, node.id).length > 0
      ? statusLayer(state.fanIn[node.id] ?? [], {
          width,
          palette,
          height: Math.max(3, Math.floor(height / 3)),
        })
      : []
  const spinner = spinnerRow(state, node, options)
  const above = [...layer, ...(spinner === null ? [] : [palette.active(cut(spinner, width))])]
  const line = lineOf(state)
  // While something moves the view, what is typed is for where it moves to.
  if (state.moving !== null) return { rows: above, cursor: null }
  if (inputFor(state) === 'commands' && line.text === '') {
    return {
      rows: [...above, palette.dim(cut(hintWithoutInput(state, node, options.below), width))],
      cursor: null,
    }
  }
  const candidates =
    state.candidates.length === 0
      ? []
      : [palette.dim(cut(state.candidates.map(printableLine).join('  '), width))]
  const input = inputRows(
    line,
    viewOf(state, node.id).captureLines === null ? '› ' : '┊ ',
    width,
    palette,
  )
  const rows = [
    ...above,
    ...candidates,
    rule(labelOf(state, node, options.below), sentOf(state), width, palette),
    input.row,
  ]
  return { rows, cursor: { x: input.x, y: rows.length - 1 } }
}

function hintWithoutInput(state: ConsoleState, node: TreeNode, below: number): string {
  const more = below > 0 ? `↓ ${plural(below, 'row')} more · ` : ''
  if (hasEnded(node))
    return `${more}Ended: nothing can be sent · / for commands, /reap takes the dead out of sight`
  return more
}

function spinnerRow(
  state: ConsoleState,
  node: TreeNode,
  { now, spin }: FrameOptions,
): string | null {
  const sign = turningSign(spin)
  if (state.moving !== null) return movingWords(state.moving, { now, spin })
  const elapsed = (since: number): string => secondsSince(since, now)
  const own = state.waits[node.id]
  if (own !== undefined) {
    const what = own.agents.length === 0 ? 'the next message' : plural(own.agents.length, 'agent')
    return `${sign} Waiting for ${what} · ${elapsed(own.since)} of ${own.timeout}s · Escape ends it`
  }
  if (!isInWait(node)) return null
  const age = node.state_age_seconds + (now - state.readAt) / 1000
  return `${sign} It waits for ${node.waiting_for === null ? 'mail' : plural(node.waiting_for.length, 'agent')} · ${shortDuration(age)}`
}

const isInWait = (node: TreeNode): boolean =>
  node.waiting_for !== null || (node.state === 'waiting' && node.state_reason === 'wait')

/** Whether something turns in the frame of this state. */
export function isTurning(state: ConsoleState): boolean {
  const node = nodeOf(state, state.viewed)
  return (
    state.moving !== null ||
    state.waits[state.viewed] !== undefined ||
    (node !== undefined && isInWait(node))
  )
}

/** The input line alone, for a terminal that has no room for more. */
export function inputRow(
  state: ConsoleState,
  width: number,
  palette: Palette,
): { row: string; x: number } {
  return inputRows(lineOf(state), '› ', width, palette)
}

/** What is to be known while one types. */
function labelOf(state: ConsoleState, node: TreeNode, below: number): string {
  if (state.quitting) return 'Ctrl-C again leaves; agents go on'
  if (below > 0) return `↓ ${plural(below, 'row')} more`
  if (inputFor(state) === 'held')
    return lineOf(state).text === ''
      ? 'Escape ends the wait · / for commands'
      : 'kept until the wait is over · Escape ends it'
  if (viewOf(state, node.id).captureLines !== null)
    return 'capture: not sent · /fork makes a child of it, /cancel ends it'
  if (isUnmanned(node)) return 'no program runs here: `exomonad up` starts one'
  if (node.kind === 'process') return 'goes to its standard input, line by line'
  return lineOf(state).text === '' ? 'Escape: all agents · /help' : ''
}

function sentOf(state: ConsoleState): string {
  const { sent } = viewOf(state, state.viewed)
  if (sent === null) return ''
  return sent.state === 'delivered' ? '✓ delivered' : sent.state
}
