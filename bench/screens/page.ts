import type { Exomonad } from '../../test/helpers/daemon.ts'

export interface Shot {
  readonly command: string
  readonly screen: string
  /** Lines beside: that have scrolled away above it, or follow in the pager. */
  readonly above: number
  readonly below: number
}

const WORDS: Readonly<Record<string, string>> = {
  'exomonad status --short':
    'For the prompt of a shell: how many agents work, how many items need a person.',
  'exomonad inbox':
    'What needs a person, the oldest first, each with a number to settle it by; below it news, a line for each agent. Before, each of these stood there as often as it had been reported: half of all messages said that an agent was idle and nothing was needed, and “can be merged” stayed after the merge.',
  'exomonad next':
    'The oldest item whole, with the commands that settle it. There was no such command.',
  'exomonad tree':
    'Who works, whose turn it is, and what those that rest wait for. STATE said “waiting question q-e8399f96” or “idle”, whatever the reason, and the header counted “2 live · 2 done” above rows that ran.',
  'exomonad tree --needs-me':
    'Exactly the agents that the inbox has an item of. There was no such filter.',
  'exomonad log --since 2h':
    'The question of the morning. There were only events, one for each change of a state.',
}

/** docs/attention.md, where what differs from run to run stands as it would in the first. */
export function page(tree: Exomonad, shots: readonly Shot[]): string {
  const stable = stableWords(tree)
  const told = tree
    .log('auth')
    .filter(({ kind }) => kind === 'message')
    .map(({ text }) => String(text).trim())
  const lines = [
    '# What a person sees',
    '',
    'Twenty scripted agents at work for an hour (three leads with their workers, five workers of one’s',
    'own), and what a terminal of 100×30 shows then. Everything is the product but the agents’ programs,',
    'which do as they are told, and the clock, which is set on between what happens.',
    '`npm run bench:screens` writes this page anew; ids and commits are replaced by the same ones each',
    'time. See also [what an agent is woken by](overnight.md#what-wakes-an-agent), and',
    '[what that costs](benchmarks.md#landing).',
  ]
  for (const { command, screen, above, below } of shots) {
    lines.push('', `## ${command}`, '', ...fold(WORDS[command] ?? ''))
    if (above > 0) lines.push('', `(${above} lines have scrolled away above.)`)
    if (below > 0) lines.push('', `(The first page; ${below} lines follow.)`)
    lines.push(
      '',
      '```text',
      ...stable(screen)
        .split('\n')
        .map((line) => line.trimEnd()),
      '```',
    )
  }
  lines.push(
    '',
    '## What a lead was woken by',
    '',
    ...fold(
      `All that \`auth\` was sent in that hour. It spawned its five workers with \`wake: "all_settled"\`: the question came at once, the rest waits until each of them can be merged, has ended or waits for it.`,
    ),
    '',
    '```text',
    ...stable(told.join('\n\n'))
      .split('\n')
      .flatMap((line) => wrapped(line.trimEnd())),
    '```',
  )
  return `${lines.join('\n')}\n`
}

/** Ids and commits as hexadecimal words, which never are words of people here. */
const RANDOM =
  /\b(?:(?<prefix>m-|q-|perm-)[0-9a-f]{6,12}|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40})\b/g

/** Ids and commits, each time the same by the order in which they are shown. */
function stableWords(tree: Exomonad): (text: string) => string {
  const known = new Map<string, string>()
  const instead = (word: string, prefix = ''): string => {
    const same = [...known.keys()].find((one) => one.startsWith(word) || word.startsWith(one))
    const number = String([...known.keys()].indexOf(same ?? word) + 1 || known.size + 1)
    if (same === undefined) known.set(word, number)
    const length = word.length - prefix.length
    return `${prefix}${`c0ffee${number.padStart(2, '0')}`.padEnd(length, '0').slice(0, Math.max(length, 8))}`
  }
  return (text) =>
    text
      .replaceAll(RANDOM, instead)
      .replaceAll(tree.repository.path, '/home/ada/shop')
      .replaceAll(/◆ \/\S{6,7}…/g, '◆ /home/ada…')
}

const fold = (text: string): string[] => wrapped(text, 100)

function wrapped(text: string, width = 100): string[] {
  const rows = ['']
  for (const word of text.split(' ')) {
    const row = rows.at(-1) ?? ''
    if (row !== '' && row.length + 1 + word.length > width) rows.push(word)
    else rows[rows.length - 1] = row === '' ? word : `${row} ${word}`
  }
  return rows
}
