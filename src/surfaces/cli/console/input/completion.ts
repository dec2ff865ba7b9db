import type { TreeNode } from '../../../../core/agents/tree-document.ts'
import { ALIASES, COMMANDS, type Takes } from './commands.ts'
import type { Line } from './line-editor.ts'
import { shortAddresses } from '../../../../domain/addresses.ts'
import { contains, startsWith } from '../rotation.ts'

export interface Completion {
  readonly line: Line
  /** What it could be, where that is more than one. */
  readonly candidates: readonly string[]
}

/**
 * Completes the word before the cursor as far as it is clear: commands, and agents and pull
 * requests after commands that take them.
 */
export function complete(line: Line, rotation: readonly TreeNode[]): Completion {
  const head = line.text.slice(0, line.cursor)
  if (!head.startsWith('/') || head.startsWith('//')) return { line, candidates: [] }
  const words = head.slice(1).split(/\s+/)
  const word = words.at(-1) ?? ''
  if (words.length === 1) return completeCommand(line, word)
  const [name = '', ...before] = words.slice(0, -1)
  const command = COMMANDS.find(
    (one) => one.name === (ALIASES[name.toLowerCase()] ?? name.toLowerCase()),
  )
  if (command === undefined) return { line, candidates: [] }
  const isAgent = takesAgent(command.takes, before.length)
  if (isAgent) return completeAgent(line, word, rotation, before)
  return command.takes === 'pull' && before.length === 0
    ? completePull(line, word, rotation)
    : { line, candidates: [] }
}

/** Whether an agent may stand behind so many words. */
const takesAgent = (takes: Takes, before: number): boolean =>
  takes === 'agents' || ((takes === 'agent' || takes === 'agent-and-text') && before === 0)

function completeCommand(line: Line, word: string): Completion {
  const matching = COMMANDS.filter(({ name }) => name.startsWith(word.toLowerCase()))
  const [only] = matching
  if (only !== undefined && matching.length === 1)
    return {
      line: withWord(line, word, `${only.name}${only.takes === 'nothing' ? '' : ' '}`),
      candidates: [],
    }
  return several(
    line,
    word,
    matching.map(({ name }) => name),
    (name) => `/${name}`,
  )
}

function completeAgent(
  line: Line,
  word: string,
  rotation: readonly TreeNode[],
  named: readonly string[],
): Completion {
  const wanted = word.toLowerCase()
  const addresses = shortAddresses(rotation)
  const addressOf = (node: TreeNode): string => addresses.get(node.id) ?? node.id
  const open = rotation.filter((node) => !named.includes(addressOf(node)))
  // All below an agent may be called by its name, a dot and theirs.
  const begins = (address: string): boolean =>
    (wanted.includes('.') || !address.includes('.')) && address.toLowerCase().startsWith(wanted)
  const beginning = open.filter((node) => begins(addressOf(node)) || startsWith(node, wanted))
  const matching = beginning.length > 0 ? beginning : open.filter((node) => contains(node, wanted))
  const [only] = matching
  if (only !== undefined && matching.length === 1)
    return { line: withWord(line, word, `${addressOf(only)} `), candidates: [] }
  return several(line, word, matching.map(addressOf))
}

function completePull(line: Line, word: string, rotation: readonly TreeNode[]): Completion {
  const numbers = rotation
    .flatMap(({ pr }) => (pr === null ? [] : [String(pr.number)]))
    .filter((number) => number.startsWith(word.replace('#', '')))
  const [only] = numbers
  if (only !== undefined && numbers.length === 1)
    return { line: withWord(line, word, only), candidates: [] }
  return several(line, word, numbers)
}

/** As far as all of them begin alike, if that says more than what is written. */
function several(
  line: Line,
  word: string,
  candidates: readonly string[],
  shown = (candidate: string): string => candidate,
): Completion {
  const common = commonStart(candidates)
  const isLonger =
    common.length > word.length && common.toLowerCase().startsWith(word.toLowerCase())
  return { line: isLonger ? withWord(line, word, common) : line, candidates: candidates.map(shown) }
}

function commonStart([first = '', ...others]: readonly string[]): string {
  let length = first.length
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length--
  return first.slice(0, length)
}

/** The word before the cursor replaced; a blank that follows there already is not doubled. */
function withWord({ text, cursor }: Line, word: string, by: string): Line {
  const tail = text.slice(cursor)
  const inserted = by.endsWith(' ') && tail.startsWith(' ') ? by.slice(0, -1) : by
  const start = cursor - word.length
  return { text: text.slice(0, start) + inserted + tail, cursor: start + by.length }
}
