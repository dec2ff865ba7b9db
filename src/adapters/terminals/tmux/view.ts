import { randomBytes } from 'node:crypto'
import type { PaneId } from '../../../domain/ids.ts'
import { NAME } from './beside.ts'
import { AGENTS } from './open.ts'

/** What the sessions of views begin with. */
export const VIEW = 'view-'

/**
 * A client of a session of its own, with nothing but the window of this pane in it: it looks at no
 * other, ends with that window, and its own end takes nothing along. It has no keys and no line of
 * its own, and does without the second screen of the terminal it runs in, so that what scrolls away
 * can be scrolled back to there, with that terminal’s own keys. What the terminal can do is passed
 * on: tmux asks for true colour and for keys with modifiers only where it knows of them.
 */
export const viewCommand = (
  binary: string,
  socketPath: string | undefined,
  socketName: string,
  paneId: PaneId,
): readonly string[] => {
  const session = `${VIEW}${paneId.slice(1)}-${randomBytes(4).toString('hex')}`
  const target = `=${session}:`
  const commands = [
    ['set-option', '-s', 'extended-keys', 'on'],
    // A session begins with some window; it is ended where the one that it is for has gone
    // meanwhile.
    ['new-session', '-d', '-s', session, '--', 'tail', '-f', '/dev/null'],
    ['set-option', '-t', target, 'destroy-unattached', 'on'],
    ['set-option', '-t', target, 'status', 'off'],
    ['set-option', '-t', target, 'prefix', 'None'],
    ['set-option', '-t', target, 'prefix2', 'None'],
    ['set-option', '-t', target, 'set-titles', 'on'],
    ['set-option', '-t', target, 'set-titles-string', `#{?#{==:#{${NAME}},},#W,#{${NAME}}}`],
    ['link-window', '-k', '-s', `=${AGENTS}:.${paneId}`, '-t', `${target}0`],
    // Holds for this client from its beginning on, and for no other.
    ['set-option', '-s', `terminal-overrides[${String(MINE)}]`, '*:smcup@:rmcup@'],
    ['attach-session', '-t', target],
    ['set-option', '-su', `terminal-overrides[${String(MINE)}]`],
  ]
  return [
    binary,
    '-u',
    // Without its server there is nothing to show: it is not to start another.
    '-N',
    ...(socketPath === undefined ? ['-L', socketName] : ['-S', socketPath]),
    '-T',
    'RGB,256,mouse,extkeys,clipboard,title',
    ...commands.flatMap((words, index) => (index === 0 ? words : [';', ...words])),
  ]
}

/** A place in the list of overrides that nothing else has. */
const MINE = 77
