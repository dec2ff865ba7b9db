import { randomBytes } from 'node:crypto'
import { asPaneId, type PaneId } from '../../../domain/ids.ts'
import type { ViewState } from '../pane-view.ts'
import { NAME } from './beside.ts'
import { AGENTS } from './open.ts'
import { LEADER } from './sizes.ts'

/** What the sessions of views begin with; the digits of the pane's id and something random follow. */
export const VIEW = 'view-'
/** Of those, what the views of surfaces of our own begin with, by whether one can type there. */
export const LOOK = `${VIEW}look-`
export const TYPE = `${VIEW}type-`

/** The pane that a view's session is for. */
export function viewedPane(session: string): PaneId | undefined {
  const digits = /^view-(?:look-|type-)?(\d+)-/.exec(session)?.[1]
  return digits === undefined ? undefined : asPaneId(`%${digits}`)
}

interface Server {
  readonly binary: string
  readonly socketPath: string | undefined
  readonly socketName: string
}

const NAMED = `#{?#{==:#{${NAME}},},#W,#{${NAME}}}`

/**
 * A client of a session of its own, with nothing but the window of this pane in it: it looks at no
 * other, ends with that window, and its own end takes nothing along. It has no keys and no line of
 * its own, and does without the second screen of the terminal it runs in, so that what scrolls away
 * can be scrolled back to there, with that terminal’s own keys. What the terminal can do is passed
 * on: tmux asks for true colour and for keys with modifiers only where it knows of them.
 */
export const viewCommand = (server: Server, paneId: PaneId): readonly string[] =>
  clientOf(server, paneId, {
    prefix: VIEW,
    features: 'RGB,256,mouse,extkeys,clipboard,title',
    title: NAMED,
    before: [['set-option', '-s', 'extended-keys', 'on']],
    attach: (target) => [
      // Holds for this client from its beginning on, and for no other.
      ['set-option', '-s', `terminal-overrides[${String(MINE)}]`, '*:smcup@:rmcup@'],
      ['attach-session', '-t', target],
      ['set-option', '-su', `terminal-overrides[${String(MINE)}]`],
    ],
  })

/**
 * The same for a terminal that this program draws itself. Its title begins with what has to be
 * known for that (`parseTitle`): tmux says it again whenever that changes. Of a window with several
 * panes this one has the keys, whichever is active for others.
 */
export const ownViewCommand = (
  server: Server,
  paneId: PaneId,
  { readOnly, keepsSize }: { readOnly: boolean; keepsSize: boolean },
): readonly string[] =>
  clientOf(server, paneId, {
    prefix: readOnly ? LOOK : TYPE,
    // Where one is not known to a tmux, it reads no further.
    features: 'RGB,256,title,hyperlinks',
    title: [
      '#{window_width}x#{window_height}',
      ofPane(paneId, '#{pane_left}.#{pane_top}.#{pane_width}.#{pane_height}'),
      `#{?#{${LEADER}},#{?#{==:#{client_name},#{${LEADER}}},this,other},none}`,
      ofPane(paneId, NAMED),
    ].join(' '),
    before: [],
    attach: (target) =>
      readOnly
        ? [['attach-session', '-r', '-t', target]]
        : [
            [
              'attach-session',
              '-f',
              keepsSize ? 'active-pane,ignore-size' : 'active-pane',
              '-t',
              target,
            ],
            ['select-pane', '-t', paneId],
          ],
  })

/**
 * A title is made for the active pane of the window, whichever that is. A `%` in it would be taken
 * for a time, at each level anew: the id is compared by its length and digits.
 */
function ofPane(paneId: PaneId, format: string): string {
  const digits = paneId.slice(1)
  const found = `#{n:pane_id}.#{=-${String(digits.length)}:pane_id}`
  return `#{P:#{?#{==:${found},${String(paneId.length)}.${digits}},${format},}}`
}

/** What the title of such a view says; undefined where it is none. */
export function parseTitle(text: string): ViewState | undefined {
  const [, columns, rows, left, top, width, height, leads, title = ''] =
    /^(\d+)x(\d+) (\d+)\.(\d+)\.(\d+)\.(\d+) (this|other|none) (.*)$/s.exec(text) ?? []
  if (leads === undefined) return undefined
  const whole = { columns: Number(columns), rows: Number(rows) }
  const part = {
    left: Number(left),
    top: Number(top),
    columns: Number(width),
    rows: Number(height),
  }
  return {
    ...whole,
    part: part.columns === whole.columns && part.rows === whole.rows ? null : part,
    leads: leads === 'none' ? null : (leads as 'this' | 'other'),
    title: title.replace(/\p{Cc}+/gu, ' '),
  }
}

function clientOf(
  { binary, socketPath, socketName }: Server,
  paneId: PaneId,
  how: {
    prefix: string
    features: string
    title: string
    before: readonly (readonly string[])[]
    attach: (target: string) => readonly (readonly string[])[]
  },
): readonly string[] {
  const session = `${how.prefix}${paneId.slice(1)}-${randomBytes(4).toString('hex')}`
  const target = `=${session}:`
  const commands = [
    ...how.before,
    // A session begins with some window; it is ended where the one that it is for has gone
    // meanwhile.
    ['new-session', '-d', '-s', session, '--', 'tail', '-f', '/dev/null'],
    ['set-option', '-t', target, 'destroy-unattached', 'on'],
    ['set-option', '-t', target, 'status', 'off'],
    ['set-option', '-t', target, 'prefix', 'None'],
    ['set-option', '-t', target, 'prefix2', 'None'],
    ['set-option', '-t', target, 'set-titles', 'on'],
    ['set-option', '-t', target, 'set-titles-string', how.title],
    ['link-window', '-k', '-s', `=${AGENTS}:.${paneId}`, '-t', `${target}0`],
    ...how.attach(target),
  ]
  return [
    binary,
    '-u',
    // Without its server there is nothing to show: it is not to start another.
    '-N',
    ...(socketPath === undefined ? ['-L', socketName] : ['-S', socketPath]),
    '-T',
    how.features,
    ...commands.flatMap((words, index) => (index === 0 ? words : [';', ...words])),
  ]
}

/** A place in the list of overrides that nothing else has. */
const MINE = 77
