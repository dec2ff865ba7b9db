import type { KeyRow } from '../input/key-table.ts'

export type OverviewDoes =
  | 'up'
  | 'down'
  | 'first'
  | 'last'
  | 'act'
  | 'focus'
  | 'terminal'
  | 'diff'
  | 'task'
  | 'timeline'
  | 'mail'
  | 'tab-before'
  | 'tab-after'
  | 'page-up'
  | 'page-down'
  | 'sort'
  | 'open-diff'
  | 'merge'
  | 'attach'
  | 'inbox'
  | 'radar'
  | 'fold'
  | 'kill'
  | 'help'
  | 'leave'

/** What keys do in the overview, in the order in which `?` lists them. */
export const OVERVIEW_KEYS: readonly KeyRow<OverviewDoes>[] = [
  {
    keys: { '↑': 'up', '↓': 'down', j: 'down', k: 'up' },
    words: 'select; scroll, where the preview has the keys',
  },
  { keys: { g: 'first', G: 'last', Home: 'first', End: 'last' }, words: 'to the ends' },
  {
    keys: { Enter: 'act' },
    words: 'do what the selected row needs: answer, approve or deny, merge; talk to an agent',
  },
  { keys: { Tab: 'focus' }, words: 'the keys to the preview, and back to the list' },
  {
    keys: {
      1: 'terminal',
      2: 'diff',
      3: 'task',
      4: 'timeline',
      5: 'mail',
      '←': 'tab-before',
      '→': 'tab-after',
      '[': 'tab-before',
      ']': 'tab-after',
    },
    shown: '1-5 ← → [ ]',
    words: 'terminal, diff, task, timeline, mail',
  },
  {
    keys: { PgUp: 'page-up', PgDn: 'page-down', Space: 'page-down' },
    words: 'scroll the preview',
  },
  { keys: {}, shown: '/', words: 'filter; a command, where it is the name of one' },
  { keys: {}, shown: ':', words: 'a command' },
  { keys: { s: 'sort' }, words: 'sort by tree, name, state, age' },
  {
    keys: { d: 'open-diff', m: 'merge' },
    words: 'diff of its pull request, merge it after asking',
  },
  { keys: { t: 'attach' }, words: 'the terminal of the agent itself' },
  { keys: { i: 'inbox' }, words: 'the inbox with its news' },
  { keys: { c: 'radar' }, words: 'whose work would conflict (⚠ in the list)' },
  { keys: { f: 'fold' }, words: 'what the pull requests on its base come to together' },
  { keys: { x: 'kill' }, words: 'end the agent and all below it, after asking' },
  { keys: {}, shown: 'Escape', words: 'end a running /wait; back to the list; all rows again' },
  { keys: { '?': 'help' }, words: 'keys and commands' },
  { keys: { q: 'leave', 'Ctrl-D': 'leave' }, words: 'leave; agents go on' },
]
