import { readTrace } from '../../../domain/panes/pane-trace.ts'
import process from 'node:process'
import { asPaneId, type AgentId, type PaneId } from '../../../domain/ids.ts'
import type { Pane } from '../holder.ts'
import { isForeground, isZombie } from '../../../processes/processes.ts'
import { signalNames } from '../../../processes/signal-names.ts'
import { NAME } from './beside.ts'
import { HOME, KEEPER } from './connection.ts'
import { command, sequence } from './quote.ts'
import { SHOWN } from './status.ts'
import { ENTERED, PASTED } from './type.ts'
import { TYPE, VIEW, viewedPane } from './view.ts'

const PANE_FIELDS = [
  'pane',
  '#{pid}',
  '#{session_name}',
  '#{pane_id}',
  '#{pane_pid}',
  '#{@agent_id}',
  '#{pane_dead}',
  '#{pane_dead_status}',
  '#{pane_dead_signal}',
  '#{pane_dead_time}',
  '#{?pane_in_mode,1,0}#{?pane_input_off,1,0}',
  '#{window_name}',
  `#{${NAME}}`,
  `#{${PASTED}}`,
  `#{${ENTERED}}`,
  `#{${SHOWN}}`,
  // Until a program says otherwise it is the name of the machine.
  '#{?#{||:#{==:#{pane_title},#{host}},#{==:#{pane_title},#{host_short}}},,#{pane_title}}',
]
const CLIENT_FIELDS = [
  'client',
  '#{client_control_mode}',
  '#{client_activity}',
  '#{pane_id}',
  '#{client_created}',
  '#{session_name}',
]
/** Each window is listed once more for every session that it is in. */
const NO_VIEW = `#{!=:#{=${String(VIEW.length)}:session_name},${VIEW}}`

/** All panes, or one, and who looks at them: one round trip. */
export function listCommand(paneId?: PaneId): string {
  const which =
    paneId === undefined
      ? ['-a', '-f', NO_VIEW]
      : ['-t', paneId, '-f', `#{==:#{pane_id},${paneId}}`]
  return sequence(
    command('list-panes', ...which, '-F', PANE_FIELDS.join('\t')),
    command('list-clients', '-F', CLIENT_FIELDS.join('\t')),
  )
}

/** tmux gives a name without SIG, or a number where the system has no table of names. */
export function signalName(text: string): string | null {
  if (text === '' || text === '0') return null
  return /^\d+$/.test(text)
    ? (signalNames.get(Number(text)) ?? `signal ${text}`)
    : `SIG${text.replace(/^SIG/i, '').toUpperCase()}`
}

/**
 * The server's process id, where the program of a pane has ended and the server has not noticed. A
 * tmux built with utempter (Debian's) loses SIGCHLD while a pane is made or taken away (tmux issue
 * 311); another one makes it look.
 */
export async function unnoticedBy(
  lines: readonly string[],
  panes: readonly Pane[],
): Promise<number | undefined> {
  const server = Number(lines[0]?.split('\t')[1])
  if (!(server > 1)) return undefined
  const open = panes.filter(
    (pane) => pane.exitCode === null && pane.exitSignal === null && pane.foreground !== true,
  )
  const zombies = await Promise.all(open.map(async ({ pid }) => await isZombie(pid)))
  return zombies.includes(true) || (process.platform !== 'linux' && open.some(({ dead }) => dead))
    ? server
    : undefined
}

/**
 * What `listCommand` printed. Panes of the keeper and the first window are left out; a window
 * linked into several sessions counts once.
 */
export async function parsePanes(lines: readonly string[]): Promise<Pane[]> {
  const rows = lines.map((line) => line.split('\t'))
  const activity = new Map<string, number>()
  // What a person types goes to the active pane of the window that they look at, or to the one that
  // their view is for, and to no other.
  for (const [kind, control, seconds, active = '', created, session = ''] of rows) {
    if (kind !== 'client' || control === '1') continue
    // A view is there without anybody in front of it, until something is typed. One of our own in
    // which that is possible is opened for who wants to.
    if (session.startsWith(VIEW) && !session.startsWith(TYPE) && seconds === created) continue
    const looksAt = viewedPane(session) ?? active
    activity.set(looksAt, Math.max(activity.get(looksAt) ?? 0, Number(seconds) * 1000))
  }
  const panes = new Map<string, Promise<Pane>>()
  for (const [
    kind,
    ,
    session,
    id = '',
    pid,
    agentId = '',
    dead,
    status = '',
    signal = '',
    deadTime = '',
    modes,
    windowName = '',
    name = '',
    pasted = '',
    entered = '',
    shown = '',
    ...title
  ] of rows) {
    if (
      kind !== 'pane' ||
      session === KEEPER ||
      (agentId === '' && windowName === HOME) ||
      panes.has(id)
    )
      continue
    const exitSignal = dead === '1' ? signalName(signal) : null
    panes.set(
      id,
      (async () => ({
        paneId: asPaneId(id),
        agentId: agentId === '' ? null : (agentId as AgentId),
        pid: Number(pid),
        // Panes from before names of their own, and those of people, have their window's.
        name: name === '' ? windowName : name,
        title: title.join('\t') || null,
        dead: dead === '1',
        exitCode: dead === '1' && exitSignal === null && status !== '' ? Number(status) : null,
        exitSignal,
        endedAt: dead === '1' && Number(deadTime) > 0 ? Number(deadTime) * 1000 : null,
        inMode: modes !== '00',
        foreground: dead === '1' ? null : await isForeground(Number(pid)),
        humanActiveAt: activity.get(id) ?? null,
        pasted: readTrace(pasted),
        entered: readTrace(entered),
        shown,
      }))(),
    )
  }
  return await Promise.all(panes.values())
}
