import { LEAST_READABLE, LEAST_VIEW, QUIET } from '../size-policy.ts'
import { command, sequence } from './quote.ts'

/**
 * Windows of agents follow the size of the person who looks (size-policy.ts), by tmux itself: hooks
 * count what happens to clients, and where nothing more happened for a moment a shell lists them
 * and has the server resize. So it holds where the daemon has ended. The windows are manual all the
 * while: tmux's own `latest` knows no least size, asks also those who only read, and keeps the last
 * size when everybody has left.
 */

/** A format that is 1 or 0. */
const not = (format: string): string => `#{?${format},0,1}`
const all = (first: string, ...more: readonly string[]): string =>
  more.reduce((sum, next) => `#{&&:${sum},${next}}`, first)
const less = (left: string, right: number): string => `#{e|<:${left},${String(right)}}`
const atLeast = (value: string, least: number): string =>
  `#{?${less(value, least)},${String(least)},${value}}`
/**
 * What the next but one expands, at the top of a format: inside of `#{}` the braces would be
 * counted.
 */
const later = (format: string): string => format.replaceAll('#', '##')

const STATUS_ROWS = '#{?#{==:#{status},off},0,#{?#{==:#{status},on},1,#{status}}}'
const ROWS = `#{e|-:#{client_height},${STATUS_ROWS}}`

/** Counts what happened to clients. What was found out at an earlier count is out of date. */
const COUNT = '@size_count'
/**
 * In a window: the client that typed last, as tmux reports it (3.3 and newer), or came or changed
 * its size.
 */
const TYPED = '@size_typed'
/**
 * In a window: whose size it gets, the rank of that one, and the count at which that was found out.
 */
const [LEAD, RANK, AS_OF] = ['@size_lead', '@size_rank', '@size_as_of'] as const
/** In a window: the client that leads. */
export const LEADER = '@size_leader'
/** In a window that follows somebody: its size before. */
const BEFORE = '@size_before'

const mayLead = (): string =>
  all(
    not('#{client_control_mode}'),
    not('#{client_readonly}'),
    not('#{m:*ignore-size*,#{client_flags}}'),
    not(less('#{client_width}', LEAST_READABLE.columns)),
    not(less('#{client_height}', LEAST_READABLE.rows)),
  )

/**
 * A small client of another session than the agents' belongs to a viewer that shows several: it
 * leads where it was typed in, or else after all others. Who came to the agents' session has typed
 * that. tmux counts in seconds.
 */
const untouched = (agents: string): string =>
  all(
    `#{||:${less('#{client_width}', LEAST_VIEW.columns)},${less(ROWS, LEAST_VIEW.rows)}}`,
    `#{!=:#{session_name},${agents}}`,
    '#{e|<=:#{client_activity},#{client_created}}',
  )

const rank = (agents: string): string =>
  `#{?#{==:#{client_name},#{${TYPED}}},2,#{?${untouched(agents)},0,1}}#{client_activity}`

/**
 * For each client a line of commands that makes it lead the window that it shows, where none of a
 * higher rank does.
 */
function candidate(agents: string): string {
  const set = (option: string, value: string) =>
    command('set-option', '-w', '-t', '#{window_id}', option, value)
  const higher = `#{||:#{!=:#{${AS_OF}},#{${COUNT}}},#{e|>:RANK,#{${RANK}}}}`
  const leads = later(`#{&&:MAY,${higher}}`).replace('MAY', mayLead()).replace('RANK', rank(agents))
  const size = `-x ${atLeast('#{client_width}', LEAST_VIEW.columns)} -y ${atLeast(ROWS, LEAST_VIEW.rows)}`
  return command(
    'if-shell',
    '-F',
    '-t',
    '#{window_id}',
    leads,
    sequence(
      set(AS_OF, `#{${COUNT}}`),
      set(RANK, rank(agents)),
      set(LEAD, size),
      set(LEADER, '#{client_name}'),
    ),
  )
}

/**
 * For each window of agents the commands that give it the size of who leads, or the one of before.
 */
function resizes(): string {
  const now = '-x #{window_width} -y #{window_height}'
  const window = '-t #{window_id}'
  const remember = `#{?${BEFORE},,set-option -w ${window} ${BEFORE} "${now}" ; }`
  const follow = `#{?#{==:#{${LEAD}},${now}},,${remember}resize-window ${window} #{${LEAD}} ; }`
  const restore = `#{?${BEFORE},resize-window ${window} #{${BEFORE}} ; set-option -w -u ${window} ${BEFORE} ; ,}`
  const nobody = `#{?${LEADER},set-option -w -u ${window} ${LEADER} ; ,}`
  return `#{S:#{W:#{?#{==:#{P:#{@agent_id}},},,#{?#{==:#{${AS_OF}},#{${COUNT}}},${follow},${restore}${nobody}}}}}`
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * What run-shell prints or fails with would be shown in somebody's pane. Whatever shell it is
 * handed to, it is this one that runs.
 */
function look(binary: string): string {
  const script = `{ "$0" list-clients -F "#{E:@size_candidate}"; echo "run-shell -C \\"#{E:@size_resizes}\\""; } 2>/dev/null | "$0" source-file - >/dev/null 2>&1; exit 0`
  return `exec /bin/sh -c ${quoteForShell(script)} ${quoteForShell(binary)}`
}

/** Looks after the delay, where nothing was counted in between. */
const soon = (seconds: number): string =>
  sequence(
    command('set-option', '-s', '-F', COUNT, `#{e|+:0#{${COUNT}},1}`),
    command(
      'run-shell',
      '-b',
      '-d',
      String(seconds),
      '-C',
      `if-shell -F "##{==:##{${COUNT}},#{${COUNT}}}" "run-shell -b '##{@size_look}'"`,
    ),
  )

/**
 * Lines for the server, `agents` is the session that people attach to. The last one looks, for what
 * happened before there were hooks.
 */
export function sizeCommands(binary: string, agents: string): string[] {
  const note = (client: string) => command('set-option', '-w', '-F', TYPED, client)
  // To tmux a client that changes its size has typed; an untouched one has not.
  const came = note(
    `#{?${untouched(agents)},#{?#{==:#{hook_client},#{${TYPED}}},,#{${TYPED}}},#{hook_client}}`,
  )
  const wait = soon(QUIET / 1000)
  return [
    command('set-option', '-s', '@size_candidate', candidate(agents)),
    command('set-option', '-s', '@size_resizes', resizes()),
    command('set-option', '-s', '@size_look', look(binary)),
    command('set-hook', '-g', 'client-active', sequence(note('#{hook_client}'), wait)),
    ...['client-attached', 'client-session-changed', 'client-resized'].map((hook) =>
      command('set-hook', '-g', hook, sequence(came, wait)),
    ),
    ...['client-detached', 'session-window-changed'].map((hook) =>
      command('set-hook', '-g', hook, wait),
    ),
    soon(0),
  ]
}
