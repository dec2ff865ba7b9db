import type { PaneId } from '../../../domain/ids.ts'
import { shownKey, type Shown } from '../../../domain/shown-key.ts'
import { HOME } from './connection.ts'
import { command, sequence } from './quote.ts'

/** What is shown of an agent, in options of its pane, and all of it in one to compare with. */
const [LABEL, STATE, NEEDS, INDENT] = ['@label', '@state', '@needs', '@indent'] as const
export const SHOWN = '@shown'

export function showCommand(paneId: PaneId, shown: Shown): string {
  const set = (option: string, value: string) =>
    command('set-option', '-p', '-t', paneId, option, value)
  const { label, state, needs, depth } = shown
  return sequence(
    set(LABEL, label),
    set(STATE, state),
    set(NEEDS, needs),
    set(INDENT, '  '.repeat(depth)),
    set(SHOWN, shownKey(shown)),
  )
}

const SIGN = `#{=1:${STATE}}`
/** A window of a person, or of an agent of which nothing was reported yet. */
const OTHER = '#{=16:window_name}'
const entry = (text: string): string =>
  `#[range=window|#{window_index}]#{window_index} ${text}#[norange]  `

/**
 * The status line: the agent that is looked at, those that need a person, and as many of the others
 * around it as there is room for. A window may hold several agents.
 */
const CURRENT = `#[reverse] #{?${LABEL},#{${LABEL}} #{${STATE}},${OTHER}} #[noreverse] `
const NEEDY = `#{W:#{P:#{?${NEEDS},#[bold]! ${entry(`#{${LABEL}} #{${NEEDS}}`)}#[nobold],}}}`
const one = (focus: string): string =>
  `#{P:#{?${NEEDS},,#{?${LABEL},${focus}${entry(`#{${LABEL}}${SIGN}`)},#{?#{&&:#{pane_active},#{!=:#{window_name},${HOME}}},${focus}${entry(OTHER)},}}}}`
const OTHERS = `#[list=on]#[list=left-marker]<#[list=right-marker]>#[list=on]#{W:${one('')},${one('#[list=focus]')}#[list=on]}#[nolist]`
const STATUS = `#[align=left]${CURRENT}${NEEDY}${OTHERS}#[align=right] #{prefix} w: tree `

/**
 * Each agent with its window's number, below its parent: by their names, which begin with their
 * branches. Sessions of viewers hold nothing else.
 */
const ROW = `#{?pane_format,#{${INDENT}}#{${LABEL}} #{${STATE}},#{?window_format,#{P:#{?${LABEL},#{${INDENT}}#{${LABEL}} #{${STATE}}#{?${NEEDS}, ! #{${NEEDS}},}  ,${OTHER}}},agents}}`

/** Lines for the server, `agents` is the session that people attach to. */
export const statusCommands = (agents: string): string[] => [
  command('set-option', '-g', 'status-format[0]', STATUS),
  command(
    'bind-key',
    'w',
    'choose-tree',
    '-Zw',
    '-O',
    'name',
    '-f',
    `#{==:#{session_name},${agents}}`,
    '-F',
    ROW,
  ),
]
