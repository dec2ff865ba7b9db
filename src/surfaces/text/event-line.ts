import type { WireEvent } from '../client.ts'
import type { Palette } from './palette.ts'
import { printableLine } from './printable.ts'
import { timeOfDay } from './relative-time.ts'
import { cut, pad } from './width.ts'

interface EventLineOptions {
  readonly palette: Palette
  /** Cut to so many columns; whole without. */
  readonly width?: number | undefined
}

/** An event as one line: when, about whom, what. Text from agents is made printable. */
export function eventLine(
  event: WireEvent,
  name: string | null,
  { palette, width }: EventLineOptions,
): string {
  const [symbol, colour, words] = describe(event)
  const who = pad(cut(printableLine(name ?? 'daemon'), 16), 16)
  const why = event.why === null ? '' : ` (${printableLine(event.why)})`
  const text = `${words}${why}`
  const room = width === undefined ? undefined : Math.max(0, width - 8 - 1 - 16 - 1 - 2)
  return `${palette.dim(timeOfDay(event.at))} ${palette.bold(who)} ${palette[colour](symbol)} ${room === undefined ? text : cut(text, room)}`
}

type Colour = keyof Palette
type Facts = Record<string, unknown>
type Words = readonly [symbol: string, colour: Colour, text: (facts: Facts) => string]

const text = (value: unknown): string =>
  printableLine(
    typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : value == null
        ? ''
        : JSON.stringify(value),
  )
const pull = (facts: Facts): string => `#${text(facts['number'])} ${text(facts['title'])}`
const list = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((entry) => text((entry as Facts | null)?.['name'] ?? entry)).join(', ')
    : text(value)

const pulls = (value: unknown): string =>
  Array.isArray(value)
    ? value.map((entry) => `#${text((entry as Facts | null)?.['number'])}`).join(', ')
    : ''

const budget = (f: Facts): string => {
  const amount = (value: unknown): string =>
    f['kind'] === 'money' ? `$${Number(value).toFixed(2)}` : text(value)
  return `${amount(f['used'])} of ${amount(f['limit'])} ${text(f['kind']).replace('_', ' ')} per ${text(f['scope'])}`
}

/** How each type reads. Types that are missing here are shown with their facts. */
const WORDS: Readonly<Record<string, Words>> = {
  'tree.initialized': ['◆', 'active', (f) => `set up on ${text(f['branch'])}`],
  'tree.moved': [
    '◆',
    'active',
    (f) => `grows from ${text(f['to'])}, no longer from ${text(f['from'])}`,
  ],
  'daemon.started': [
    '▶',
    'good',
    (f) => `daemon started, process ${text(f['pid'])}; ${text(f['adopted'])} panes adopted`,
  ],
  'daemon.stopped': ['■', 'dim', () => 'daemon stopped; agents go on'],
  'agent.spawned': ['+', 'active', (f) => `spawned as ${text(f['kind'])} on ${text(f['branch'])}`],
  'agent.state': [
    '·',
    'dim',
    (f) =>
      `${text(f['from'])} → ${text(f['to'])}${f['reason'] == null ? '' : `: ${text(f['reason'])}`}`,
  ],
  'agent.started': [
    '▶',
    'active',
    (f) => (f['resumed'] === true ? 'program runs again' : 'program runs'),
  ],
  'agent.tool': [
    '⎿',
    'dim',
    (f) =>
      `${f['phase'] === 'ended' ? `${text(f['status']) || 'done'}: ` : ''}${text(f['detail']) || text(f['tool'])}`,
  ],
  'agent.idle': ['○', 'dim', () => 'idle'],
  'agent.completed': ['✓', 'good', (f) => `done: ${text(f['summary'])}`],
  'agent.failed': ['✗', 'bad', (f) => `failed: ${text(f['reason'])}`],
  'agent.killed': ['✗', 'bad', (f) => `killed by ${text(f['by'])}`],
  'agent.silent': ['?', 'attention', (f) => `silent for ${text(f['minutes'])} min`],
  'agent.waiting': ['!', 'attention', (f) => `waits for a person: ${text(f['reason'])}`],
  'budget.unpriced': [
    '?',
    'attention',
    (f) => `no price for the model ${text(f['model'])}: its use is not in the budget`,
  ],
  'budget.warning': ['!', 'attention', (f) => `80 % used: ${budget(f)}`],
  'budget.exhausted': ['✗', 'bad', (f) => `used up: ${budget(f)}`],
  'agent.reaped': ['−', 'dim', () => 'taken out of sight; its work stays'],
  'agent.removed': [
    '−',
    'dim',
    (f) => `branch ${text(f['branch'])} and worktree removed, proven merged`,
  ],
  'spawn.failed': [
    '✗',
    'bad',
    (f) => `spawn of ${text(f['name'])} failed and was taken back: ${text(f['error'])}`,
  ],
  note: ['✎', 'active', (f) => `note: ${text(f['message'])}`],
  'question.asked': [
    '?',
    'attention',
    (f) => `asks (${text(f['question_id'])}): ${text(f['message'])}`,
  ],
  'question.answered': ['!', 'good', (f) => `answered: ${text(f['answer'])}`],
  message: ['→', 'active', (f) => `message: ${text(f['message'])}`],
  mail: ['→', 'dim', (f) => `mail from ${text(f['from_name'])}`],
  'approval.requested': [
    '!',
    'attention',
    (f) => `waits for your approval (${text(f['approval_id'])}): ${text(f['what'])}`,
  ],
  'approval.decided': ['!', 'good', (f) => `${text(f['decision'])}: ${text(f['what'])}`],
  'pr.opened': ['↑', 'link', (f) => `filed ${pull(f)} against ${text(f['base'])}`],
  'pr.review': [
    '✎',
    'attention',
    (f) =>
      `review of #${text(f['number'])}: ${text(f['state']).replace('_', ' ')} by ${text(f['author'])}`,
  ],
  'pr.thread_comment': [
    '✎',
    'attention',
    (f) =>
      `comment on #${text(f['number'])} ${text(f['path'])}:${text(f['line'])}: ${text(f['body'])}`,
  ],
  'pr.comment': ['✎', 'attention', (f) => `comment on #${text(f['number'])}: ${text(f['body'])}`],
  'ci.pending': [
    '●',
    'attention',
    (f) => `checks of #${text(f['number'])} run: ${list(f['jobs'])}`,
  ],
  'ci.failed': ['✗', 'bad', (f) => `checks of #${text(f['number'])} failed: ${list(f['jobs'])}`],
  'ci.passed': ['✓', 'good', (f) => `checks of #${text(f['number'])} passed`],
  'pr.ready': ['✓', 'good', (f) => `#${text(f['number'])} can be merged`],
  'pr.blocked': [
    '!',
    'attention',
    (f) => `#${text(f['number'])} can’t be merged yet: it needs ${list(f['needs'])}`,
  ],
  'pr.behind': [
    '!',
    'attention',
    (f) => `#${text(f['number'])} has to be up to date with ${text(f['base'])} first`,
  ],
  'landing.queued': [
    '●',
    'attention',
    (f) => `#${text(f['number'])} waits to land on ${text(f['base'])}: its result is checked first`,
  ],
  'landing.red': [
    '✗',
    'bad',
    (f) =>
      `#${text(f['number'])} did not land on ${text(f['base'])}: the result is red${f['base_red'] === true ? ', and so is the base' : ''}`,
  ],
  'landing.culprit': [
    '✗',
    'bad',
    (f) =>
      `#${text(f['number'])} is red together with ${f['partner'] == null ? text(f['commit']).slice(0, 10) : pulls([f['partner']])}`,
  ],
  'landing.stopped': [
    '■',
    'dim',
    (f) => `#${text(f['number'])} does not wait to land any more: ${text(f['reason'])}`,
  ],
  'landing.done': [
    '⇐',
    'special',
    (f) => `${pulls(f['landed'])} landed on ${text(f['branch'])}, checked`,
  ],
  'base.red': [
    '✗',
    'bad',
    (f) =>
      `${text(f['branch'])} is red at ${text(f['sha']).slice(0, 10)}${pulls(f['since']) === '' ? '' : `, since ${pulls(f['since'])}`}`,
  ],
  'base.green': ['✓', 'good', (f) => `${text(f['branch'])} is green again`],
  'delivery.withdrawn': [
    '−',
    'dim',
    (f) => `message ${text(f['delivery_id'])} withdrawn: ${text(f['reason'])}`,
  ],
  'pr.pushed': [
    '↑',
    'link',
    (f) =>
      `pushed to #${text(f['number'])}: ${text(f['old']).slice(0, 8)} → ${text(f['new']).slice(0, 8)}`,
  ],
  'pr.conflict': ['✗', 'bad', (f) => `#${text(f['number'])} conflicts in ${list(f['files'])}`],
  'pr.conflict_cleared': ['✓', 'good', (f) => `#${text(f['number'])} no longer conflicts`],
  'pr.merged': ['⇐', 'special', (f) => `merged ${pull(f)} into ${text(f['base'])}`],
  'pr.scheduled': [
    '●',
    'attention',
    (f) =>
      `#${text(f['number'])} ${f['kind'] === 'queue' ? `is in the merge queue of ${text(f['base'])}` : 'is set to auto-merge'}`,
  ],
  'pr.unscheduled': [
    '■',
    'attention',
    (f) =>
      `#${text(f['number'])} ${f['kind'] === 'queue' ? 'left the merge queue' : 'is not set to auto-merge any more'}: ${text(f['reason'] ?? 'the forge does not say why')}`,
  ],
  'pr.fork': [
    '!',
    'attention',
    (f) =>
      `#${text(f['number'])} comes from a fork, with a branch that is called ${text(f['head'])} as well`,
  ],
  'pr.closed': ['✗', 'dim', (f) => `closed ${pull(f)}`],
  'pr.reopened': ['↑', 'link', (f) => `reopened ${pull(f)}`],
  'pr.retargeted': ['→', 'dim', (f) => `#${text(f['number'])} now goes to ${text(f['base'])}`],
  'pr.stalled': [
    '?',
    'attention',
    (f) => `#${text(f['number'])} makes no progress: ${text(f['reason'])}`,
  ],
  'review.timeout': [
    '?',
    'attention',
    (f) => `#${text(f['number'])} has no review after ${text(f['minutes'])} min`,
  ],
  'base.moved': ['↑', 'dim', (f) => `${text(f['branch'])} moved to ${text(f['new']).slice(0, 8)}`],
  'merge.started': ['⇐', 'dim', (f) => `merging ${pull(f)} (${text(f['strategy'])})`],
  'issue.refused': [
    '!',
    'attention',
    (f) => `no agent for issue #${text(f['number'])}: ${text(f['reason'])}`,
  ],
  'forge.trouble': [
    '!',
    'attention',
    (f) => `${text(f['forge'])} can’t be used: ${text(f['reason'])}`,
  ],
  'forge.recovered': [
    '✓',
    'good',
    (f) => `${text(f['forge'])} can be used again, after ${text(f['minutes'])} min`,
  ],
  'stop.blocked': ['↻', 'attention', (f) => `held at its stop: ${text(f['objection'])}`],
  'stop.released': ['!', 'attention', (f) => `let go although ${text(f['objection'])} stands`],
  'rebase.done': ['↻', 'good', (f) => `rebased onto ${text(f['base'])}`],
  'rebase.conflict': [
    '✗',
    'attention',
    (f) => `rebase onto ${text(f['base'])} conflicts in ${list(f['files'])}`,
  ],
  'rebase.aborted': ['✗', 'bad', (f) => `rebase onto ${text(f['base'])} given up`],
  'delivery.sent': ['·', 'dim', (f) => `${text(f['delivery_id'])} sent by ${text(f['lane'])}`],
  'delivery.acked': ['·', 'dim', (f) => `${text(f['delivery_id'])} arrived`],
  'delivery.failed': [
    '✗',
    'bad',
    (f) => `${text(f['delivery_id'])} could not be delivered: ${text(f['reason'])}`,
  ],
  'delivery.undecided': [
    '?',
    'bad',
    (f) => `nobody knows whether ${text(f['delivery_id'])} arrived: ${text(f['reason'])}`,
  ],
}

function describe(event: WireEvent): [string, Colour, string] {
  const words = WORDS[event.type]
  if (words === undefined)
    return [
      '·',
      'dim',
      `${printableLine(event.type)} ${printableLine(JSON.stringify(event.payload))}`,
    ]
  return [words[0], words[1], words[2](event.payload)]
}
