import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { stateWords } from '../../../domain/state-words.ts'
import type { Palette } from '../palette.ts'
import { shortDuration } from '../duration.ts'
import { hasTerminal, isOneTask } from '../no-terminal.ts'
import { printableLine } from '../printable.ts'
import { plural, shortCount, shortMoney } from '../quantity.ts'
import type { Cell } from '../table.ts'
import { scheduledWord } from '../scheduled-word.ts'

const TURNING = ['◐', '◓', '◑', '◒']

/** Who has to act for it, in words; `shorts`: what agents are called, by id. */
export function turnName({ turn }: TreeNode, shorts: ReadonlyMap<string, string>): string | null {
  if (turn === null) return null
  return turn === 'human' ? 'you' : printableLine(shorts.get(turn) ?? turn.slice(0, 8))
}

/**
 * State with its sign: what a person wants to know first. `frame` turns the sign of what runs;
 * `turn`: who has to act for it, as `turnName` says it.
 */
export function agentState(
  node: TreeNode,
  palette: Palette,
  { frame, turn }: { readonly frame: number; readonly turn: string | null },
): Cell {
  const reason = node.state_reason === null ? '' : ` ${printableLine(node.state_reason)}`
  const { sign, word } = stateWords({
    ...node,
    stateReason: node.state_reason,
    merged: node.pr?.state === 'merged',
  })
  const text = `${sign} ${word}`
  switch (node.state) {
    case 'spawning':
      return { text: `${text}${reason === '' ? '' : `:${reason}`}`, paint: palette.dim }
    case 'running':
      return {
        text: `${TURNING[frame % TURNING.length] ?? sign} ${word}${turn === 'you' ? ': your turn' : doing(node)}`,
        paint: turn === 'you' ? palette.attention : palette.active,
      }
    case 'waiting':
      return { text: `${text}${waitedFor(node, turn)}`, paint: palette.attention }
    case 'idle':
      return idle(node, text, palette, turn)
    case 'completed':
      return { text: `${text}${ended(node)}`, paint: palette.good }
    case 'unknown':
      return { text: `${text}${reason}`, paint: palette.attention }
    case 'failed':
      return { text: `${text}${ended(node) || reason}`, paint: palette.bad }
    case 'killed':
      return { text, paint: palette.dim }
    default:
      return { text: printableLine(node.state) }
  }
}

/** Of what no terminal shows: the command, or how many tools it called. */
function doing(node: TreeNode): string {
  if (node.command !== null) return ` ${printableLine(node.command)}`
  return hasTerminal(node) || node.tool_calls === 0 ? '' : ` ${plural(node.tool_calls, 'call')}`
}

/** How a process ended, and what it was. */
function ended({ command, exit_code: code, exit_signal: signal }: TreeNode): string {
  if (command === null || (code === null && signal === null)) return ''
  return ` ${code === null ? signal : `exit ${code}`}: ${printableLine(command)}`
}

/** How long an agent has run, or ran: of what ends with its task no longer than to its end. */
export const ranSeconds = (node: TreeNode): number =>
  isOneTask(node) && isOver(node)
    ? Math.max(0, node.age_seconds - node.state_age_seconds)
    : node.age_seconds

const isOver = ({ state }: TreeNode): boolean =>
  state === 'completed' || state === 'failed' || state === 'killed'

/** How reasons of a wait begin where the program’s terminal shows something unknown. */
const SHOWN = /^(?:in its turn )?its terminal shows: /

/** For what it waits, and whose turn it is. */
function waitedFor(
  { state_reason: reason, waiting_for: agents }: TreeNode,
  turn: string | null,
): string {
  if (agents !== null) return ` for ${plural(agents.length, 'agent')}`
  if (reason === null) return turn === null ? '' : ` for ${turn}`
  if (reason === 'wait') return ' for mail'
  if (reason.startsWith('question ')) return `: question${turn === null ? '' : ` for ${turn}`}`
  const said = printableLine(reason)
  if (said.startsWith('permission ')) return `: your ${said}`
  return `: ${SHOWN.test(said) ? said.replace(SHOWN, 'you at its terminal: ') : said}`
}

function idle(node: TreeNode, text: string, palette: Palette, turn: string | null): Cell {
  if (node.outcome?.success === false)
    return {
      text: `${text} ${printableLine(node.outcome.error ?? '')}`.trimEnd(),
      paint: palette.bad,
    }
  if (node.outcome?.success === true || node.pr?.state === 'merged')
    return { text, paint: palette.good }
  if (turn !== null)
    return {
      text: `${text}: ${turn === 'you' ? 'your' : `${turn}’s`} turn`,
      paint: turn === 'you' ? palette.attention : palette.dim,
    }
  return {
    text: `${text}${restsFor(node)}`,
    paint:
      node.state_reason === 'stopped' && node.kind !== 'root' ? palette.attention : palette.dim,
  }
}

/** What it rests for that is known, and for how long. */
function restsFor({ waits }: TreeNode): string {
  const [first, ...more] = waits
  if (first === undefined) return ''
  const others = more.length === 0 ? '' : ` +${more.length}`
  return `: ${printableLine(first.what)}${others}, ${shortDuration(first.age_seconds)}`
}

/** How long it has been so, and what that was concluded from: `12s hook`. */
export function sinceCell(node: TreeNode, palette: Palette): Cell {
  return {
    text: `${shortDuration(node.state_age_seconds)} ${printableLine(node.state_source)}`,
    paint: palette.dim,
  }
}

export function tokensCell({ tokens }: TreeNode, palette: Palette): Cell {
  return { text: tokens === 0 ? '' : shortCount(tokens), paint: palette.dim }
}

/** `+`: more by models without a price. */
export function costCell(
  { cost_usd: cost, unpriced_models: unpriced }: TreeNode,
  palette: Palette,
): Cell {
  if (cost === null) return { text: '' }
  return { text: `${shortMoney(cost)}${unpriced.length > 0 ? '+' : ''}`, paint: palette.dim }
}

export function pullCell({ pr }: TreeNode, palette: Palette): Cell {
  if (pr === null) return { text: '' }
  const [word, paint] = pullWord(pr, palette)
  return { text: `#${pr.number} ${word}`, paint }
}

function pullWord(
  pr: NonNullable<TreeNode['pr']>,
  palette: Palette,
): [string, (text: string) => string] {
  if (pr.state === 'merged') return ['merged', palette.special]
  if (pr.state === 'closed') return ['closed', palette.bad]
  if (pr.landing !== null) return ['landing', palette.attention]
  if (pr.scheduled !== null) return [scheduledWord(pr.scheduled), palette.attention]
  if (pr.mergeable === 'conflicting') return ['conflict', palette.bad]
  if (pr.draft) return ['draft', palette.dim]
  if (pr.review === 'changes_requested') return ['changes', palette.attention]
  if (pr.review === 'approved') return ['approved', palette.good]
  return ['open', palette.link]
}

export function checksCell({ pr }: TreeNode, palette: Palette): Cell {
  switch (pr?.checks) {
    case 'passed':
      return { text: '✓ passed', paint: palette.good }
    case 'failed':
      return { text: '✗ failed', paint: palette.bad }
    case 'pending':
      return { text: '● running', paint: palette.attention }
    case 'unknown':
      return { text: '? unknown', paint: palette.dim }
    default:
      return { text: '' }
  }
}
